import { version } from "./version.ts";

/** What `berg` says without a command: what is there, and what to try. Only what is true today. */
export function overview(): string {
  return `berg ${version}: isolated, short-lived challenge instances for hacking competitions

There now:
  instances     the controller that turns a ChallengeInstance into a namespace, policies, services, routes, flag and pods
  kube          the controller runtime that it stands on; resources: the Challenge and ChallengeInstance kinds
  local         begun: a Kubernetes control plane in one process, whose pods run nothing yet
Not there yet: containers on one machine without a cluster, self-healing, API, pages.

Try:
  docs/try-an-instance.md                             from here to a running instance, on a real API server
  npm run -s berg -- lint docs/examples/echo.yaml     what is wrong with a Challenge, and how to put it right
  npm run -s berg -- controller                       the controller, on the cluster that KUBECONFIG names
  npm run -s berg -- up --only control-plane          a control plane on this machine, for kubectl and the controller
  npm run -s control-plane                            a real API server to try things on, until Ctrl-C
  npm run test:real                                   watch it survive a real API server's bad days
`;
}
