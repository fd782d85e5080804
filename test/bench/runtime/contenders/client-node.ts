import { KubeConfig } from "@kubernetes/client-node";

export function kubeConfigFor(server: string): KubeConfig {
  const config = new KubeConfig();
  // Without the permission to skip TLS it refuses plain HTTP.
  config.loadFromClusterAndUser({ name: "bench", server, skipTLSVerify: true }, { name: "bench" });
  return config;
}
