import { describe, expect, test } from "vitest";
import { services } from "./services.ts";
import { asYaml, blueprintOf, containerOf, everyPortType } from "./testing/blueprints.ts";

const yaml = (...wishes: Parameters<typeof blueprintOf>) => asYaml(services(blueprintOf(...wishes)));
const names = (...wishes: Parameters<typeof blueprintOf>) =>
  services(blueprintOf(...wishes)).map(({ manifest }) => manifest.metadata.name);

describe("the Services of an instance", () => {
  test("one container", async () => {
    await expect(yaml()).toMatchFileSnapshot("snapshots/services-one-container.yaml");
  });

  test("every type of port, over TCP and UDP", async () => {
    await expect(yaml({ containers: everyPortType() })).toMatchFileSnapshot("snapshots/services-every-port-type.yaml");
  });

  test("headless ones besides, for containers without ports too", async () => {
    const wishes = { containers: [containerOf("web", [{ port: 80 }]), containerOf("worker")] };
    await expect(yaml({ ...wishes, settings: { headlessService: true } })).toMatchFileSnapshot(
      "snapshots/services-headless.yaml",
    );
  });

  test("a container without ports has none: Kubernetes would refuse it", () => {
    expect(names({ containers: [containerOf("worker")] })).toEqual([]);
  });

  test("one port written as tcp and as TCP is one port", () => {
    const ports = [
      { port: 80, protocol: "tcp" },
      { port: 80, protocol: "TCP" },
    ];
    const [service] = services(blueprintOf({ containers: [containerOf("web", ports)] }));
    expect(service?.manifest.spec?.ports).toEqual([{ name: "port-80", port: 80, protocol: "TCP", targetPort: 80 }]);
  });

  test("a NodePort Service calls a port as the ClusterIP Service does", () => {
    const ports = [
      { port: 53, protocol: "tcp" },
      { port: 53, protocol: "udp", type: "publicPort" as const },
    ];
    const [inside, outside] = services(blueprintOf({ containers: [containerOf("dns", ports)] }));
    expect(inside?.manifest.spec?.ports?.map(({ name }) => name)).toEqual(["port-53-tcp", "port-53-udp"]);
    expect(outside?.manifest.spec?.ports?.map(({ name }) => name)).toEqual(["port-53-udp"]);
  });
});
