/** What people and scripts type, in an order that makes a story. Each line is one command, words parted by spaces. */
import { join } from "node:path";

const deploy = join(import.meta.dirname, "../../deploy");

export interface Command {
  /** After `kubectl`. Quotes keep words together, as in a shell. */
  readonly line: string;
  readonly stdin?: string;
  /** What it ends with. 0 unless told otherwise. */
  readonly exit?: number;
  /** Why the embedded control plane does not do the same yet. */
  readonly differs?: string;
}

const protobuf = "kubectl sends protobuf, which is refused (415)";
const noDescriptions = "built-in kinds are not described";

const both = "jsonpath='{.metadata.name} {.data.colour}'";
const columns =
  "custom-columns=NAME:.metadata.name,REPLICAS:.spec.replicas,IMAGE:.spec.template.spec.containers[0].image";

export const commands: readonly Command[] = [
  { line: "create -f namespace.yaml" },
  { line: "config set-context --current --namespace=play" },
  { line: "get namespace play" },
  { line: "wait --for=create serviceaccount/default --timeout=30s" },
  { line: "wait --for=create configmap/kube-root-ca.crt --timeout=30s" },

  // Config maps: every way to write.
  { line: "create -f literal.yaml" },
  { line: "create -f literal.yaml", exit: 1 },
  { line: "apply -f map.yaml" },
  { line: "apply -f map.yaml" },
  { line: "diff -f map-changed.yaml", exit: 1 },
  { line: "apply -f map-changed.yaml --dry-run=server" },
  { line: "apply -f map-changed.yaml" },
  { line: "diff -f map-changed.yaml" },
  { line: "apply -f map-odd.yaml", exit: 1 },
  { line: "apply -f map-odd.yaml --validate=warn" },
  { line: "apply --server-side --field-manager=other -f map.yaml", exit: 1 },
  { line: "apply --server-side --field-manager=other -f map.yaml --force-conflicts" },
  { line: "get configmap settings -o yaml" },
  { line: "get configmap settings -o yaml --show-managed-fields" },
  { line: `get configmap settings -o ${both}` },
  { line: "get configmaps" },
  { line: "get configmaps --show-labels" },
  { line: "label configmap settings tier=front" },
  { line: "label configmap settings tier=back", exit: 1 },
  { line: "label configmap settings tier=back --overwrite" },
  { line: "annotate configmap settings note=hello" },
  { line: "get configmaps -l tier=back -o name" },
  { line: "get configmaps --field-selector metadata.name=settings -L tier" },
  { line: `patch configmap settings --type=merge -p '{"data":{"size":null}}'` },
  { line: `patch configmap settings --type=json -p '[{"op":"replace","path":"/data/colour","value":"blue"}]'` },
  { line: `patch configmap settings -p '{"data":{"shape":"round"}}'` },
  { line: "edit configmap settings" },
  { line: "replace -f -", stdin: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: literal}\ndata: {c: '3'}\n" },
  { line: "describe configmap settings" },
  { line: "get configmap none", exit: 1 },
  { line: "get nothings", exit: 1 },
  { line: "create -f secret.yaml" },
  { line: "get secret hidden -o yaml" },
  { line: "describe secret hidden" },

  // A deployment and its service.
  { line: "apply -f web.yaml" },
  { line: "wait --for=jsonpath='{.status.replicas}'=2 deployment/web --timeout=30s" },
  { line: "get deployment web" },
  { line: "get deployment web -o wide" },
  { line: `get deployment web -o ${columns}` },
  { line: "get replicasets" },
  { line: "get pods" },
  { line: "get pods -o wide" },
  { line: "get pods -l app=web --no-headers -o custom-columns=PHASE:.status.phase,QOS:.status.qosClass" },
  { line: "get services" },
  { line: "get service web -o wide" },
  { line: "describe service web" },
  { line: "describe deployment web" },
  { line: "scale deployment web --replicas=3" },
  { line: "wait --for=jsonpath='{.status.replicas}'=3 deployment/web --timeout=30s" },
  { line: "set image deployment/web main=registry.test/web:2" },
  { line: "rollout history deployment/web" },
  { line: "rollout status deployment/web --timeout=1s", exit: 1 },
  { line: "rollout undo deployment/web" },
  { line: "rollout restart deployment/web" },
  { line: "scale deployment web --replicas=0" },
  { line: "rollout status deployment/web --timeout=30s" },
  { line: "explain deployment.spec.replicas", differs: noDescriptions },
  { line: "explain pod.spec.containers.imagePullPolicy", differs: noDescriptions },
  { line: "expose deployment web --name=outside --type=NodePort --port=80" },
  { line: "get service outside -o jsonpath='{.spec.type} {.spec.ports[0].targetPort}'" },
  { line: "events --types=Warning" },
  { line: "get all" },

  // A kind of our own.
  { line: "apply -f boats.yaml" },
  { line: "wait --for=condition=Established crd/boats.kubectl.berg.test --timeout=30s" },
  { line: "api-resources --api-group=kubectl.berg.test" },
  { line: "get boats" },
  { line: "apply -f boat.yaml" },
  {
    line: "apply -f -",
    stdin: "apiVersion: kubectl.berg.test/v1\nkind: Boat\nmetadata: {name: bad}\nspec: {sails: 0}\n",
    exit: 1,
  },
  {
    line: "apply -f -",
    stdin: "apiVersion: kubectl.berg.test/v1\nkind: Boat\nmetadata: {name: bad}\nspec: {sails: 1, oars: 2}\n",
    exit: 1,
  },
  { line: "get boats" },
  { line: "get bt -o wide" },
  { line: "get fleet -o name" },
  { line: "explain boat.spec" },
  { line: "describe boat anna" },
  { line: `patch boat anna --subresource=status --type=merge -p '{"status":{"phase":"Afloat"}}'` },
  { line: "wait --for=jsonpath='{.status.phase}'=Afloat boat/anna --timeout=10s" },
  { line: "get boats --watch --request-timeout=2s" },
  { line: "get boat anna -o json" },

  // Who may do what.
  { line: "apply -f role.yaml" },
  { line: "describe role reader" },
  { line: "describe rolebinding reader" },
  { line: "get rolebindings -o wide" },
  { line: "apply -f quota.yaml" },
  { line: "wait --for=jsonpath='{.status.used.secrets}'=1 quota/most --timeout=30s" },
  { line: "create -f -", stdin: "apiVersion: v1\nkind: Secret\nmetadata: {name: second}\n", exit: 1 },
  { line: "describe quota most" },
  { line: "api-resources --api-group=coordination.k8s.io -o wide" },

  // What installs Berg on a cluster.
  { line: `apply -k ${deploy}` },
  { line: `apply -k ${deploy}` },
  { line: "get priorityclasses" },
  { line: "get pc system-node-critical -o yaml" },
  { line: "delete pc system-node-critical", exit: 1 },

  // These bring bodies in protobuf, whatever is asked. Nothing else in the story rests on them.
  { line: "create namespace other --dry-run=server", differs: protobuf },
  { line: "create configmap other --from-literal=a=1 --dry-run=server -o yaml", differs: protobuf },
  { line: "create secret generic other --dry-run=server", exit: 1, differs: protobuf },
  { line: "create role other --verb=get --resource=pods --dry-run=server", differs: protobuf },
  { line: "create rolebinding other --role=reader --serviceaccount=play:default --dry-run=server", differs: protobuf },
  { line: "create quota other --hard=pods=1 --dry-run=server", differs: protobuf },
  { line: "create token default --duration=5s", exit: 1, differs: protobuf },
  { line: "auth can-i create pods", differs: protobuf },
  { line: "auth can-i list configmaps --as=system:serviceaccount:play:default", differs: protobuf },
  { line: "auth can-i create pods --as=system:serviceaccount:play:default", exit: 1, differs: protobuf },

  // And away with it.
  { line: "delete configmap literal odd" },
  { line: "delete configmap literal", exit: 1 },
  { line: "delete configmap literal --ignore-not-found" },
  { line: "delete deployment web --cascade=orphan" },
  { line: "get replicasets -o jsonpath='{.items[*].metadata.ownerReferences}'" },
  { line: "delete replicasets --all --cascade=foreground --timeout=30s" },
  { line: "delete boat anna --cascade=background" },
  { line: "delete crd boats.kubectl.berg.test" },
  { line: "delete services --all" },
  { line: "delete namespace play --timeout=60s" },
  { line: "get namespace play", exit: 1 },
];
