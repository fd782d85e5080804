/** The files that lie beside whoever types the commands. */
export const manifests: Readonly<Record<string, string>> = {
  "namespace.yaml": `apiVersion: v1
kind: Namespace
metadata:
  name: play
`,
  "literal.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: literal
data: {a: "1", b: "2"}
`,
  "map.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  colour: red
`,
  "map-changed.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  colour: green
  size: "3"
`,
  "map-odd.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: odd
dada:
  colour: red
`,
  "web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: main
          image: registry.test/web:1
          ports: [{containerPort: 80}]
          resources:
            requests: {cpu: "1", memory: 64Mi}
---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector: {app: web}
  ports: [{name: http, port: 80}]
`,
  "secret.yaml": `apiVersion: v1
kind: Secret
metadata:
  name: hidden
stringData:
  key: value
`,
  "quota.yaml": `apiVersion: v1
kind: ResourceQuota
metadata:
  name: most
spec:
  hard: {secrets: "1", pods: "5"}
`,
  "role.yaml": `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
rules:
  - {apiGroups: [""], resources: [configmaps], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: reader
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
  - {kind: ServiceAccount, name: default, namespace: play}
`,
  "boats.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boats.kubectl.berg.test
spec:
  group: kubectl.berg.test
  scope: Namespaced
  names: {plural: boats, kind: Boat, shortNames: [bt], categories: [fleet]}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      additionalPrinterColumns:
        - {name: Sails, type: integer, jsonPath: .spec.sails}
        - {name: Home, type: string, jsonPath: .spec.home, priority: 1}
      schema:
        openAPIV3Schema:
          description: A boat has sails.
          type: object
          properties:
            spec:
              description: What is wanted of it.
              type: object
              required: [sails]
              properties:
                sails: {type: integer, minimum: 1, description: How many there are.}
                home: {type: string, default: Basel}
            status:
              type: object
              properties:
                phase: {type: string}
`,
  "boat.yaml": `apiVersion: kubectl.berg.test/v1
kind: Boat
metadata:
  name: anna
spec:
  sails: 2
`,
};
