import { version } from "./version.ts";

/** What `berg` says without a command: what is there, and what to try. Only what is true today. */
export function overview(): string {
  return `berg ${version}: isolated, short-lived challenge instances for hacking competitions

There now: the ground that everything else stands on.
  apimachinery  objects, errors, selectors, quantities, patches and watch frames of the Kubernetes API
  kube          a controller runtime: client, informers, work queue, controllers, leader election
  resources     the Challenge and ChallengeInstance kinds
Begun: instances (how a flag reaches its container).
Not there yet: the controller that runs instances, the local control plane, API, pages.

Try:
  npm run -s berg -- crds | kubectl apply -f -   teach a cluster our kinds; then: kubectl explain challenge.spec
  npm run -s control-plane                       a real API server to try things on, until Ctrl-C
  npm run test:real                              watch the runtime survive a real API server's bad days
  docs/write-a-controller.md                     a whole controller in 60 lines
`;
}
