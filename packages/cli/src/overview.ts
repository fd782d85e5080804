import { version } from "./version.ts";

/** What `berg` says without a command: what is there, and what to try. Only what is true today. */
export function overview(): string {
  return `berg ${version}: isolated, short-lived challenge instances for hacking competitions

There now:
  on one machine    control plane, containers, gateway and controller in one process: berg up, berg dev, berg instance
  on a cluster      the controller that turns a ChallengeInstance into namespace, policies, services, routes, flag and pods
  API and pages     sign in, start and extend instances in a browser, on one machine and on a cluster: berg api
  self-healing      the listener, which finds what is stuck, and the janitor, which ends what is past its time
  tunnels           containers reach the servers of this machine that you name, and no others: berg dev --tunnel
  more clusters     made by Gardener or brought along, and narrow, short-lived access to them: berg clusters
Not there yet: teams, flags, scores.

Try:
  npm start                                           Berg on this machine, with three sample challenges, until Ctrl-C
  npm run -s berg -- instance start notes             one of them, in another terminal
  npm run -s berg -- dev samples/notes/challenge.yaml work on a challenge: it restarts as you change it
  npm run -s berg -- lint docs/examples/echo.yaml     what is wrong with a Challenge, and how to put it right
  npm run -s berg -- controller                       the controller, on the cluster that KUBECONFIG names
  npm run -s berg -- api --help                       the API and the pages on that cluster: which settings it needs
  npm run -s berg -- janitor --dry-run                what is past its time there, or belongs to no instance
  npm run -s berg -- up --only control-plane          a Kubernetes control plane on this machine, and nothing else
`;
}
