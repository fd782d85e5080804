/**
 * Policies about a new config map, with what kube-apiserver 1.36 makes of them. `policies.real.test.ts` asks a real one
 * whether it still says so; `policies.test.ts` asks ours. Data, and so longer than other files.
 */
import type { PolicySpec } from "../../../kinds/admissionregistration/types.ts";

/** A whole policy, or the expression of its only validation. */
type Probed = string | PolicySpec;

/** Of the config map. */
export const probedData = { a: "b", b: "c", zero: "0" };

/** What the config map is denied with; null where it is not. 422 unless another code is named. */
export const judged: readonly (readonly [policy: Probed, denial: string | null, code?: number])[] = [
  ["false", "failed expression: false"],
  ["object.nope == 1", "expression 'object.nope == 1' resulted in error: no such key: nope"],
  ["object.metadata.nope.x == 1", "expression 'object.metadata.nope.x == 1' resulted in error: no such key: nope"],
  ["object.data.n == '1'", "expression 'object.data.n == '1'' resulted in error: no such key: n"],
  ["request.subResource == ''", "expression 'request.subResource == ''' resulted in error: no such key: subResource"],
  ["request.options.foo == 1", "expression 'request.options.foo == 1' resulted in error: no such key: foo"],
  [
    "namespaceObject.metadata.UID == 'x'",
    "expression 'namespaceObject.metadata.UID == 'x'' resulted in error: no such key: UID",
  ],
  [
    "namespaceObject.metadata.generation == 1",
    "expression 'namespaceObject.metadata.generation == 1' resulted in error: no such key: generation",
  ],
  [
    "namespaceObject.metadata.creationTimestamp < timestamp('2020-01-01T00:00:00Z')",
    "expression 'namespaceObject.metadata.creationTimestamp < timestamp('2020-01-01T00:00:00Z')' resulted in error: no such overload",
  ],
  [
    "oldObject.metadata.name == ''",
    "expression 'oldObject.metadata.name == ''' resulted in error: no such key: metadata",
  ],
  ["oldObject == null && object != null && false", "failed expression: oldObject == null && object != null && false"],
  [
    { variables: [{ name: "x", expression: "object.nope" }], validations: [{ expression: "variables.x == 1" }] },
    "expression 'variables.x == 1' resulted in error: composited variable \"x\" fails to evaluate: no such key: nope",
  ],
  [
    {
      variables: [
        { name: "x", expression: "object.nope" },
        { name: "y", expression: "variables.x" },
      ],
      validations: [{ expression: "variables.y == 1" }],
    },
    'expression \'variables.y == 1\' resulted in error: composited variable "y" fails to evaluate: composited variable "x" fails to evaluate: no such key: nope',
  ],
  ["object.data.all(k, object.data[k] == 'x')", "failed expression: object.data.all(k, object.data[k] == 'x')"],
  ["1 / int(object.data.zero) == 1", "expression '1 / int(object.data.zero) == 1' resulted in error: division by zero"],
  ["object.data[0] == 'x'", "expression 'object.data[0] == 'x'' resulted in error: no such key: 0"],
  ["[1,2][5] == 1", "expression '[1,2][5] == 1' resulted in error: index out of bounds: 5"],
  [
    "timestamp(object.data.a) > timestamp('2020-01-01T00:00:00Z')",
    "expression 'timestamp(object.data.a) > timestamp('2020-01-01T00:00:00Z')' resulted in error: type conversion error from 'string' to 'google.protobuf.Timestamp'",
  ],
  [
    "quantity(object.data.a) == quantity('1')",
    "expression 'quantity(object.data.a) == quantity('1')' resulted in error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  [
    "object.data.l.size() == object.data.zz",
    "expression 'object.data.l.size() == object.data.zz' resulted in error: no such key: l",
  ],
  [
    "lists.range(10000).all(a, lists.range(10000).all(b, lists.range(10000).all(c, true)))",
    "expression 'lists.range(10000).all(a, lists.range(10000).all(b, lists.range(10000).all(c, true)))' resulted in error: operation cancelled: actual cost limit exceeded",
  ],
  [
    "!has(object.data.nope) && has(object.nope.x)",
    "expression '!has(object.data.nope) && has(object.nope.x)' resulted in error: no such key: nope",
  ],
  [{ validations: [{ expression: "false", message: "fallback", messageExpression: "''" }] }, "fallback"],
  [{ validations: [{ expression: "false", message: "fallback", messageExpression: "'a\\nb'" }] }, "fallback"],
  [
    {
      validations: [
        {
          expression: "false",
          messageExpression:
            "request.operation + string(request.dryRun) + request.userInfo.username + request.userInfo.groups.join(',') + '|' + request.namespace + '|' + request.kind.kind + request.resource.resource + request.requestKind.kind",
        },
      ],
    },
    "CREATEtrueadminsystem:masters,system:authenticated|default|ConfigMapconfigmapsConfigMap",
  ],
  [
    {
      validations: [
        {
          expression: "false",
          messageExpression:
            "namespaceObject.metadata.name + ' ' + namespaceObject.status.phase + ' ' + namespaceObject.spec.finalizers.join(',') + string(namespaceObject.metadata.labels.size())",
        },
      ],
    },
    "default Active kubernetes1",
  ],
  ["type(namespaceObject.metadata.creationTimestamp) == string", null],
  [
    "authorizer.group('').resource('pods').check('get').allowed() && false",
    "failed expression: authorizer.group('').resource('pods').check('get').allowed() && false",
  ],
  [
    "authorizer.requestResource.check('get').allowed() && false",
    "failed expression: authorizer.requestResource.check('get').allowed() && false",
  ],
  [
    { variables: [{ name: "x", expression: "1" }], validations: [{ expression: "has(variables.x) && false" }] },
    "failed expression: has(variables.x) && false",
  ],
  ["dyn(1) == 1 && false", "failed expression: dyn(1) == 1 && false"],
  [
    "true ? object.metadata.labels.probe == 'zz' : true",
    "failed expression: true ? object.metadata.labels.probe == 'zz' : true",
  ],
  [
    { variables: [{ name: "x", expression: "oldObject" }], validations: [{ expression: "variables.x.y == 1" }] },
    "expression 'variables.x.y == 1' resulted in error: no such key: y",
  ],
  ["dyn([null])[0].x == 1", "expression 'dyn([null])[0].x == 1' resulted in error: no such key: x"],
  ["dyn({'a': null}).a.x == 1", "expression 'dyn({'a': null}).a.x == 1' resulted in error: no such key: x"],
  ["dyn({'a': null}).a == 1", "failed expression: dyn({'a': null}).a == 1"],
  ["has(oldObject.metadata)", "failed expression: has(oldObject.metadata)"],
  ["has(dyn({'a': null}).a.x)", "failed expression: has(dyn({'a': null}).a.x)"],
  ["has(dyn({'a': null}).a) && false", "failed expression: has(dyn({'a': null}).a) && false"],
  ["oldObject.?metadata.hasValue()", "failed expression: oldObject.?metadata.hasValue()"],
  [
    "oldObject.?metadata.?name.orValue('none') == 'x'",
    "failed expression: oldObject.?metadata.?name.orValue('none') == 'x'",
  ],
  ["oldObject['metadata'] == 1", "expression 'oldObject['metadata'] == 1' resulted in error: no such key: metadata"],
  ["oldObject[?'metadata'].hasValue()", "failed expression: oldObject[?'metadata'].hasValue()"],
  ["object.data.a.x == 1", "expression 'object.data.a.x == 1' resulted in error: no such key: x"],
  ["has(object.data.a.x)", "failed expression: has(object.data.a.x)"],
  ["object.data.a.?x.hasValue()", "failed expression: object.data.a.?x.hasValue()"],
  ["object.data.a[0] == 'b'", "expression 'object.data.a[0] == 'b'' resulted in error: no such key: 0"],
  ["object.data.size() > 10", "failed expression: object.data.size() > 10"],
  ["object.metadata.labels.x == 'y'", "expression 'object.metadata.labels.x == 'y'' resulted in error: no such key: x"],
  ["object.data.all(k, v, v == 'zz')", "failed expression: object.data.all(k, v, v == 'zz')"],
  ["size(object) == 1", "failed expression: size(object) == 1"],
  ["'a' in object", "failed expression: 'a' in object"],
  ["'a' in oldObject", "expression ''a' in oldObject' resulted in error: no such overload"],
  [
    "oldObject.all(k, true)",
    "expression 'oldObject.all(k, true)' resulted in error: got 'types.Null', expected iterable type",
  ],
  [
    "object.data.a.all(k, true)",
    "expression 'object.data.a.all(k, true)' resulted in error: got 'types.String', expected iterable type",
  ],
  ["object.data == {'a': 'x'}", "failed expression: object.data == {'a': 'x'}"],
  ["object.metadata == oldObject", "failed expression: object.metadata == oldObject"],
  ["object.data.a + 1 == 2", "expression 'object.data.a + 1 == 2' resulted in error: no such overload"],
  ["object.data.a > 1", "expression 'object.data.a > 1' resulted in error: no such overload"],
  ["object.data.a && true", "expression 'object.data.a && true' resulted in error: no such overload"],
  ["!object.data.a", "expression '!object.data.a' resulted in error: no such overload"],
  ["object.data.a ? true : false", "expression 'object.data.a ? true : false' resulted in error: no such overload"],
  ["-object.data.a == 1", "expression '-object.data.a == 1' resulted in error: no such overload"],
  [
    "int(object.data.a) == 1",
    "expression 'int(object.data.a) == 1' resulted in error: type conversion error from 'string' to 'int'",
  ],
  [
    "duration(object.data.a) == duration('1s')",
    "expression 'duration(object.data.a) == duration('1s')' resulted in error: type conversion error from 'string' to 'google.protobuf.Duration'",
  ],
  [
    "object.data.b.contains(object.data.zero) && object.data.nope",
    "failed expression: object.data.b.contains(object.data.zero) && object.data.nope",
  ],
  ["namespaceObject == null", "failed expression: namespaceObject == null"],
  ["request == null", "failed expression: request == null"],
  ["request.kind == request.requestKind && false", "failed expression: request.kind == request.requestKind && false"],
  [
    "request.userInfo.groups.exists(g, g == 'nope')",
    "failed expression: request.userInfo.groups.exists(g, g == 'nope')",
  ],
  [
    "request.userInfo.extra['x'][0] == 'y'",
    "expression 'request.userInfo.extra['x'][0] == 'y'' resulted in error: no such key: extra",
  ],
  [
    "optional.of(object.data.a).hasValue() && false",
    "failed expression: optional.of(object.data.a).hasValue() && false",
  ],
  [
    "object.metadata.?labels.?nope.orValue('') == 'x'",
    "failed expression: object.metadata.?labels.?nope.orValue('') == 'x'",
  ],
  [
    "object.metadata.?labels[?'nope'].orValue('') == 'x'",
    "failed expression: object.metadata.?labels[?'nope'].orValue('') == 'x'",
  ],
  [
    "authorizer.path('').check('get').allowed()",
    "expression 'authorizer.path('').check('get').allowed()' resulted in error: path must not be empty",
  ],
  [
    "authorizer.group('').resource(' ').check('get').allowed()",
    "expression 'authorizer.group('').resource(' ').check('get').allowed()' resulted in error: resource must not be empty",
  ],
  [
    "authorizer.serviceAccount('default', 'X!').group('').resource('pods').check('get').allowed()",
    "expression 'authorizer.serviceAccount('default', 'X!').group('').resource('pods').check('get').allowed()' resulted in error: Invalid service account name",
  ],
  [
    "authorizer.serviceAccount('no.dots', 'x').group('').resource('pods').check('get').allowed()",
    "expression 'authorizer.serviceAccount('no.dots', 'x').group('').resource('pods').check('get').allowed()' resulted in error: Invalid service account namespace",
  ],
  [
    "authorizer.serviceAccount('default', 'default').group('').resource('pods').check('get').allowed()",
    "failed expression: authorizer.serviceAccount('default', 'default').group('').resource('pods').check('get').allowed()",
  ],
  [
    "authorizer.path('/healthz').check('get').errored() || false",
    "failed expression: authorizer.path('/healthz').check('get').errored() || false",
  ],
  [
    "authorizer.group('').resource('pods').check('get').error() == 'x'",
    "failed expression: authorizer.group('').resource('pods').check('get').error() == 'x'",
  ],
  [
    "authorizer.group('').resource('pods').check('get').reason() == 'x'",
    "failed expression: authorizer.group('').resource('pods').check('get').reason() == 'x'",
  ],
  [
    "authorizer.group('').resource('pods').fieldSelector('a=b').labelSelector('c').subresource('log').namespace('x').name('y').check('get').allowed() && false",
    "failed expression: authorizer.group('').resource('pods').fieldSelector('a=b').labelSelector('c').subresource('log').namespace('x').name('y').check('get').allowed() && false",
  ],
  [
    "[1,2,3].all(i, authorizer.group('').resource('pods').check('get').allowed())",
    "expression '[1,2,3].all(i, authorizer.group('').resource('pods').check('get').allowed())' resulted in error: operation cancelled: actual cost limit exceeded",
  ],
  [
    {
      variables: [{ name: "a", expression: "authorizer.group('').resource('pods').check('get')" }],
      validations: [{ expression: "variables.a.allowed() && false" }],
    },
    "failed expression: variables.a.allowed() && false",
  ],
  [
    {
      variables: [{ name: "a", expression: "{'x': 1}" }],
      validations: [{ expression: "variables.a.?x.orValue(1) == 2" }],
    },
    "failed expression: variables.a.?x.orValue(1) == 2",
  ],
  [
    { variables: [{ name: "a", expression: "{'x': 1}" }], validations: [{ expression: "variables.a.y == 2" }] },
    "expression 'variables.a.y == 2' resulted in error: no such key: y",
  ],
  [
    { variables: [{ name: "a", expression: "optional.of(1)" }], validations: [{ expression: "variables.a == 2" }] },
    "failed expression: variables.a == 2",
  ],
  [
    { variables: [{ name: "a", expression: "request.kind" }], validations: [{ expression: "variables.a == 2" }] },
    "failed expression: variables.a == 2",
  ],
  [
    {
      variables: [{ name: "a", expression: "request.kind" }],
      validations: [{ expression: "variables.a.kind == 'x'" }],
    },
    "failed expression: variables.a.kind == 'x'",
  ],
  [
    { variables: [{ name: "a", expression: "1" }], validations: [{ expression: "variables == null" }] },
    "failed expression: variables == null",
  ],
  [
    "object.metadata.name.matches('^p[0-9]+$') && false",
    "failed expression: object.metadata.name.matches('^p[0-9]+$') && false",
  ],
  [
    "format.dns1123Label().validate(object.metadata.name).hasValue()",
    "failed expression: format.dns1123Label().validate(object.metadata.name).hasValue()",
  ],
  ["1.5 == object.data.a", "failed expression: 1.5 == object.data.a"],
  [
    "object.metadata.generation == 1",
    "expression 'object.metadata.generation == 1' resulted in error: no such key: generation",
  ],
  ["[object, oldObject].size() == 1", "failed expression: [object, oldObject].size() == 1"],
  ["object.data.map(k, k).sort()[0] == 'zz'", "failed expression: object.data.map(k, k).sort()[0] == 'zz'"],
  ["object.data.exists_one(k, k == 'zz')", "failed expression: object.data.exists_one(k, k == 'zz')"],
  ["sets.contains(['a'], object.data.map(k, k))", "failed expression: sets.contains(['a'], object.data.map(k, k))"],
  [
    "object.spec.template.spec.containers.all(c, c.image.startsWith('x'))",
    "expression 'object.spec.template.spec.containers.all(c, c.image.startsWith('x'))' resulted in error: no such key: spec",
  ],
  ["true\n&& false", "failed expression: true\n&& false"],
  ["  false  ", "failed expression: false"],
  [{ validations: [{ expression: "false", message: " trimmed " }] }, "trimmed"],
  [{ validations: [{ expression: "false", messageExpression: "' trimmed '" }] }, "trimmed"],
  [{ validations: [{ expression: "false", reason: "RequestEntityTooLarge" }] }, "failed expression: false", 413],
  [{ validations: [{ expression: "false", reason: "Forbidden" }] }, "failed expression: false", 403],
  [{ failurePolicy: "Ignore", validations: [{ expression: "false" }] }, "failed expression: false"],
  [{ failurePolicy: "Ignore", validations: [{ expression: "object.nope == 1" }] }, null],
  [
    { matchConditions: [{ name: "a", expression: "object.nope == 1" }], validations: [{ expression: "false" }] },
    "expression 'object.nope == 1' resulted in error: no such key: nope",
  ],
  [
    {
      matchConditions: [
        { name: "a", expression: "object.nope == 1" },
        { name: "b", expression: "object.nah == 1" },
      ],
      validations: [{ expression: "false" }],
    },
    "[expression 'object.nope == 1' resulted in error: no such key: nope, expression 'object.nah == 1' resulted in error: no such key: nah]",
  ],
  [
    {
      matchConditions: [
        { name: "a", expression: "object.nope == 1" },
        { name: "b", expression: "object.nope == 1" },
      ],
      validations: [{ expression: "false" }],
    },
    "expression 'object.nope == 1' resulted in error: no such key: nope",
  ],
  [
    {
      matchConditions: [
        { name: "a", expression: "object.nope == 1" },
        { name: "b", expression: "false" },
      ],
      validations: [{ expression: "false" }],
    },
    null,
  ],
  [
    {
      failurePolicy: "Ignore",
      matchConditions: [{ name: "a", expression: "object.nope == 1" }],
      validations: [{ expression: "false" }],
    },
    null,
  ],
  [
    { matchConditions: [{ name: "a", expression: "namespaceObject == null" }], validations: [{ expression: "false" }] },
    "failed expression: false",
  ],
  [
    { auditAnnotations: [{ key: "k", valueExpression: "string(object.nope)" }], validations: [{ expression: "true" }] },
    "expression 'string(object.nope)' resulted in error: no such key: nope",
  ],
  [
    {
      failurePolicy: "Ignore",
      auditAnnotations: [{ key: "k", valueExpression: "string(object.nope)" }],
      validations: [{ expression: "true" }],
    },
    null,
  ],
  [{ auditAnnotations: [{ key: "k", valueExpression: "null" }], validations: [{ expression: "true" }] }, null],
  [
    {
      auditAnnotations: [{ key: "k", valueExpression: "authorizer.path('/x').check('get').reason()" }],
      validations: [{ expression: "true" }],
    },
    "expression 'authorizer.path('/x').check('get').reason()' resulted in error: no such attribute(s): authorizer",
  ],
  [
    {
      variables: [{ name: "a", expression: "authorizer.path('/x').check('get').reason()" }],
      validations: [{ expression: "false", message: "plain", messageExpression: "variables.a" }],
    },
    "plain",
  ],
  [
    { paramKind: { apiVersion: "v1", kind: "Nope" }, validations: [{ expression: "false" }] },
    "failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Nope'",
  ],
  [
    { paramKind: { apiVersion: "nope.example.com/v1", kind: "Nope" }, validations: [{ expression: "false" }] },
    "failed to configure policy: failed to find resource referenced by paramKind: 'nope.example.com/v1, Kind=Nope'",
  ],
  [
    {
      paramKind: { apiVersion: "nope.example.com/v1", kind: "Nope" },
      failurePolicy: "Ignore",
      validations: [{ expression: "false" }],
    },
    null,
  ],
  [
    { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, validations: [{ expression: "params == null && false" }] },
    "failed expression: params == null && false",
  ],
];

/** What is said against the policy itself. */
export const refused: readonly (readonly [policy: Probed, problems: readonly string[]])[] = [
  [
    "object.metadata.name + 1 == 'x'",
    [
      "spec.validations[0].expression: Invalid value: \"object.metadata.name + 1 == 'x'\": compilation failed: ERROR: <input>:1:26: found no matching overload for '_==_' applied to '(int, string)'\n | object.metadata.name + 1 == 'x'\n | .........................^",
    ],
  ],
  ["object", ['spec.validations[0].expression: Invalid value: "object": must evaluate to bool but got dyn']],
  ["object.data", ['spec.validations[0].expression: Invalid value: "object.data": must evaluate to bool but got dyn']],
  [
    "object.data.a.matches('[')",
    [
      "spec.validations[0].expression: Invalid value: \"object.data.a.matches('[')\": compilation failed: ERROR: <input>:1:23: invalid matches argument\n | object.data.a.matches('[')\n | ......................^",
    ],
  ],
  [
    { validations: [{ expression: "false", messageExpression: "object.nope.x" }] },
    ['spec.validations[0].messageExpression: Invalid value: "object.nope.x": must evaluate to string but got dyn'],
  ],
  [
    {
      validations: [
        { expression: "false", messageExpression: "authorizer.group('').resource('pods').check('get').reason()" },
      ],
    },
    [
      "spec.validations[0].messageExpression: Invalid value: \"authorizer.group('').resource('pods').check('get').reason()\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')\n | authorizer.group('').resource('pods').check('get').reason()\n | ^",
    ],
  ],
  [
    "params.x == 1",
    [
      "spec.validations[0].expression: Invalid value: \"params.x == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^",
    ],
  ],
  [
    { variables: [{ name: "x", expression: "1" }], validations: [{ expression: "variables.nope == 1" }] },
    [
      "spec.validations[0].expression: Invalid value: \"variables.nope == 1\": compilation failed: ERROR: <input>:1:10: undefined field 'nope'\n | variables.nope == 1\n | .........^",
    ],
  ],
  [
    "variables.nope == 1",
    [
      "spec.validations[0].expression: Invalid value: \"variables.nope == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.nope == 1\n | ^",
    ],
  ],
  [
    { variables: [{ name: "x", expression: "1" }], validations: [{ expression: "variables.x == 'a'" }] },
    [
      "spec.validations[0].expression: Invalid value: \"variables.x == 'a'\": compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, string)'\n | variables.x == 'a'\n | ............^",
    ],
  ],
  [
    {
      variables: [
        { name: "x", expression: "foo" },
        { name: "x", expression: "1" },
        { name: "in", expression: "1" },
        { name: "a-b", expression: "1" },
        { name: "", expression: "" },
      ],
      validations: [{ expression: "variables.a" }],
    },
    [
      "spec.variables[0].expression: Invalid value: \"foo\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo\n | ^",
      'spec.variables[2].name: Invalid value: "in": must be a valid CEL identifier',
      'spec.variables[3].name: Invalid value: "a-b": must be a valid CEL identifier',
      "spec.variables[4].name: Required value: name is not specified",
      "spec.variables[4].expression: Required value: expression is not specified",
      "spec.validations[0].expression: Invalid value: \"variables.a\": compilation failed: ERROR: <input>:1:10: undefined field 'a'\n | variables.a\n | .........^",
    ],
  ],
  [
    "self.x == 1",
    [
      "spec.validations[0].expression: Invalid value: \"self.x == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'self' (in container '')\n | self.x == 1\n | ^",
    ],
  ],
  [
    "'a' == 1",
    [
      "spec.validations[0].expression: Invalid value: \"'a' == 1\": compilation failed: ERROR: <input>:1:5: found no matching overload for '_==_' applied to '(string, int)'\n | 'a' == 1\n | ....^",
    ],
  ],
  [
    "request.object == 1",
    [
      "spec.validations[0].expression: Invalid value: \"request.object == 1\": compilation failed: ERROR: <input>:1:8: undefined field 'object'\n | request.object == 1\n | .......^",
    ],
  ],
  [
    "request.uid == 'x'",
    [
      "spec.validations[0].expression: Invalid value: \"request.uid == 'x'\": compilation failed: ERROR: <input>:1:8: undefined field 'uid'\n | request.uid == 'x'\n | .......^",
    ],
  ],
  [
    "request.userInfo.name == 'x'",
    [
      "spec.validations[0].expression: Invalid value: \"request.userInfo.name == 'x'\": compilation failed: ERROR: <input>:1:17: undefined field 'name'\n | request.userInfo.name == 'x'\n | ................^",
    ],
  ],
  [
    { validations: [{ expression: "false", messageExpression: "1" }] },
    ['spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int'],
  ],
  [
    { validations: [{ expression: "false", messageExpression: "object.x" }] },
    ['spec.validations[0].messageExpression: Invalid value: "object.x": must evaluate to string but got dyn'],
  ],
  [
    { validations: [{ expression: "false", messageExpression: "params.x" }] },
    [
      "spec.validations[0].messageExpression: Invalid value: \"params.x\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x\n | ^",
    ],
  ],
  ["dyn(true)", ['spec.validations[0].expression: Invalid value: "dyn(true)": must evaluate to bool but got dyn']],
  [
    "object.data.b",
    ['spec.validations[0].expression: Invalid value: "object.data.b": must evaluate to bool but got dyn'],
  ],
  [
    "object.data.a.startsWith(1)",
    [
      "spec.validations[0].expression: Invalid value: \"object.data.a.startsWith(1)\": compilation failed: ERROR: <input>:1:25: found no matching overload for 'startsWith' applied to 'dyn.(int)'\n | object.data.a.startsWith(1)\n | ........................^",
    ],
  ],
  [
    "object.data.a.nope()",
    [
      "spec.validations[0].expression: Invalid value: \"object.data.a.nope()\": compilation failed: ERROR: <input>:1:19: undeclared reference to 'nope' (in container '')\n | object.data.a.nope()\n | ..................^",
    ],
  ],
  [
    "nope(object)",
    [
      "spec.validations[0].expression: Invalid value: \"nope(object)\": compilation failed: ERROR: <input>:1:5: undeclared reference to 'nope' (in container '')\n | nope(object)\n | ....^",
    ],
  ],
  [
    "request.kind == request.resource",
    [
      "spec.validations[0].expression: Invalid value: \"request.kind == request.resource\": compilation failed: ERROR: <input>:1:14: found no matching overload for '_==_' applied to '(kubernetes.GroupVersionKind, kubernetes.GroupVersionResource)'\n | request.kind == request.resource\n | .............^",
    ],
  ],
  [
    "params == null",
    [
      "spec.validations[0].expression: Invalid value: \"params == null\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params == null\n | ^",
    ],
  ],
  [
    "authorizer.requestResource.foo",
    [
      "spec.validations[0].expression: Invalid value: \"authorizer.requestResource.foo\": compilation failed: ERROR: <input>:1:27: unexpected failed resolution of 'kubernetes.authorization.ResourceCheck'\n | authorizer.requestResource.foo\n | ..........................^",
    ],
  ],
  [
    "authorizer.foo",
    [
      "spec.validations[0].expression: Invalid value: \"authorizer.foo\": compilation failed: ERROR: <input>:1:11: unexpected failed resolution of 'kubernetes.authorization.Authorizer'\n | authorizer.foo\n | ..........^",
    ],
  ],
  [
    { variables: [{ name: "a", expression: "{'x': 1}" }], validations: [{ expression: "variables.a == 2" }] },
    [
      "spec.validations[0].expression: Invalid value: \"variables.a == 2\": compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(map(string, int), int)'\n | variables.a == 2\n | ............^",
    ],
  ],
  [
    { variables: [{ name: "a", expression: "[1]" }], validations: [{ expression: "variables.a == 2" }] },
    [
      "spec.validations[0].expression: Invalid value: \"variables.a == 2\": compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(list(int), int)'\n | variables.a == 2\n | ............^",
    ],
  ],
  [
    {
      variables: [
        { name: "a", expression: "variables.b" },
        { name: "b", expression: "1" },
      ],
      validations: [{ expression: "variables.b == 2" }],
    },
    [
      "spec.variables[0].expression: Invalid value: \"variables.b\": compilation failed: ERROR: <input>:1:10: undefined field 'b'\n | variables.b\n | .........^",
    ],
  ],
  [
    { variables: [{ name: "a", expression: "1" }], validations: [{ expression: "variables.size() == 1" }] },
    [
      "spec.validations[0].expression: Invalid value: \"variables.size() == 1\": compilation failed: ERROR: <input>:1:15: found no matching overload for 'size' applied to 'kubernetes.variables.()'\n | variables.size() == 1\n | ..............^",
    ],
  ],
  [
    { variables: [{ name: "a", expression: "1" }], validations: [{ expression: "variables['a'] == 1" }] },
    [
      "spec.validations[0].expression: Invalid value: \"variables['a'] == 1\": compilation failed: ERROR: <input>:1:10: found no matching overload for '_[_]' applied to '(kubernetes.variables, string)'\n | variables['a'] == 1\n | .........^",
    ],
  ],
  [
    { variables: [{ name: "a", expression: "null" }], validations: [{ expression: "variables.a == '2'" }] },
    [
      "spec.validations[0].expression: Invalid value: \"variables.a == '2'\": compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(null, string)'\n | variables.a == '2'\n | ............^",
    ],
  ],
  ["null", ['spec.validations[0].expression: Invalid value: "null": must evaluate to bool but got null_type']],
  [
    "timestamp('2020-01-01T00:00:00Z')",
    [
      "spec.validations[0].expression: Invalid value: \"timestamp('2020-01-01T00:00:00Z')\": must evaluate to bool but got google.protobuf.Timestamp",
    ],
  ],
  [
    "duration('1s')",
    [
      "spec.validations[0].expression: Invalid value: \"duration('1s')\": must evaluate to bool but got google.protobuf.Duration",
    ],
  ],
  ["[1]", ['spec.validations[0].expression: Invalid value: "[1]": must evaluate to bool but got list(int)']],
  [
    "{'a': [1]}",
    [
      "spec.validations[0].expression: Invalid value: \"{'a': [1]}\": must evaluate to bool but got map(string, list(int))",
    ],
  ],
  [
    "optional.of(1)",
    [
      'spec.validations[0].expression: Invalid value: "optional.of(1)": must evaluate to bool but got optional_type(int)',
    ],
  ],
  [
    "request",
    [
      'spec.validations[0].expression: Invalid value: "request": must evaluate to bool but got kubernetes.AdmissionRequest',
    ],
  ],
  [
    "request.userInfo.groups",
    [
      'spec.validations[0].expression: Invalid value: "request.userInfo.groups": must evaluate to bool but got list(string)',
    ],
  ],
  ["b'x'", ["spec.validations[0].expression: Invalid value: \"b'x'\": must evaluate to bool but got bytes"]],
  ["1u", ['spec.validations[0].expression: Invalid value: "1u": must evaluate to bool but got uint']],
  [
    "quantity('1')",
    [
      "spec.validations[0].expression: Invalid value: \"quantity('1')\": must evaluate to bool but got kubernetes.Quantity",
    ],
  ],
  [
    "ip('1.1.1.1')",
    ["spec.validations[0].expression: Invalid value: \"ip('1.1.1.1')\": must evaluate to bool but got net.IP"],
  ],
  [
    "authorizer",
    [
      'spec.validations[0].expression: Invalid value: "authorizer": must evaluate to bool but got kubernetes.authorization.Authorizer',
    ],
  ],
  [
    "cel.bind(x, object.data.a, x == 'zz')",
    [
      "spec.validations[0].expression: Invalid value: \"cel.bind(x, object.data.a, x == 'zz')\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')\n | cel.bind(x, object.data.a, x == 'zz')\n | ^\nERROR: <input>:1:9: undeclared reference to 'bind' (in container '')\n | cel.bind(x, object.data.a, x == 'zz')\n | ........^\nERROR: <input>:1:10: undeclared reference to 'x' (in container '')\n | cel.bind(x, object.data.a, x == 'zz')\n | .........^\nERROR: <input>:1:28: undeclared reference to 'x' (in container '')\n | cel.bind(x, object.data.a, x == 'zz')\n | ...........................^",
    ],
  ],
  ["", ["spec.validations[0].expression: Required value: expression is not specified"]],
  [
    { validations: [{ expression: "false", messageExpression: " " }] },
    ['spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified'],
  ],
  [
    { validations: [{ expression: "false", message: " " }] },
    ['spec.validations[0].message: Invalid value: " ": must be non-empty if specified'],
  ],
  [
    { validations: [{ expression: "false", message: "a\nb" }] },
    ['spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
  ],
  [
    { validations: [{ expression: "false", reason: "Nope" }] },
    [
      'spec.validations[0].reason: Unsupported value: "Nope": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  [
    { validations: [{ expression: "false", reason: "Unauthorized" }] },
    [
      'spec.validations[0].reason: Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  [
    { failurePolicy: "Ignore", validations: [{ expression: "object.nope" }] },
    ['spec.validations[0].expression: Invalid value: "object.nope": must evaluate to bool but got dyn'],
  ],
  [
    { failurePolicy: "nope", validations: [{ expression: "object.nope == 1" }] },
    ['spec.failurePolicy: Unsupported value: "nope": supported values: "Fail", "Ignore"'],
  ],
  [
    {
      matchConditions: [{ name: "a", expression: "variables.x == 1" }],
      variables: [{ name: "x", expression: "1" }],
      validations: [{ expression: "false" }],
    },
    [
      "spec.matchConditions[0].expression: Invalid value: \"variables.x == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.x == 1\n | ^",
    ],
  ],
  [
    {
      matchConditions: [
        { name: "a", expression: " 1 " },
        { name: "a", expression: "" },
        { name: "", expression: "true" },
        { name: "b c", expression: "true" },
      ],
      validations: [{ expression: "false" }],
    },
    [
      'spec.matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int',
      "spec.matchConditions[1].expression: Required value",
      'spec.matchConditions[1].name: Duplicate value: "a"',
      "spec.matchConditions[2].name: Required value",
      "spec.matchConditions[3].name: Invalid value: \"b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    { auditAnnotations: [{ key: "k", valueExpression: "object.nope" }], validations: [{ expression: "true" }] },
    [
      'spec.auditAnnotations[0].valueExpression: Invalid value: "object.nope": must evaluate to one of [string null_type] but got dyn',
    ],
  ],
  [
    {
      auditAnnotations: [
        { key: "k", valueExpression: "1" },
        { key: "k", valueExpression: "" },
      ],
      validations: [{ expression: "true" }],
    },
    [
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
      "spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not specified",
      'spec.auditAnnotations[1].key: Duplicate value: "k"',
    ],
  ],
  [
    {
      auditAnnotations: [{ key: "k", valueExpression: "object == null ? 'a' : null" }],
      validations: [{ expression: "true" }],
    },
    [
      "spec.auditAnnotations[0].valueExpression: Invalid value: \"object == null ? 'a' : null\": compilation failed: ERROR: <input>:1:16: found no matching overload for '_?_:_' applied to '(bool, string, null)'\n | object == null ? 'a' : null\n | ...............^",
    ],
  ],
  [
    { paramKind: { apiVersion: "a/b/c", kind: "X Y" }, validations: [{ expression: "false" }] },
    [
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      "spec.paramKind.kind: Invalid value: \"X Y\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    { paramKind: { apiVersion: "A_/1", kind: "" }, validations: [{ expression: "false" }] },
    [
      "spec.paramKind.apiVersion: Invalid value: \"A_\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "spec.paramKind.apiVersion: Invalid value: \"1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      "spec.paramKind.kind: Required value",
    ],
  ],
  [
    { paramKind: { apiVersion: "a/", kind: "x" }, validations: [{ expression: "false" }] },
    ['spec.paramKind.apiVersion: Invalid value: "a/": version must be specified'],
  ],
  [
    { paramKind: {}, validations: [{ expression: "false" }] },
    ["spec.paramKind.apiVersion: Required value", "spec.paramKind.kind: Required value"],
  ],
];

export function specOf(probed: Probed): PolicySpec {
  return typeof probed === "string" ? { validations: [{ expression: probed }] } : probed;
}
