/** Bodies as text, good and bad: what a real API server and ours must read alike. */
export interface BodyCase {
  kind: "ConfigMap" | "Pod" | "Secret" | "Reading";
  text: string;
}

const configMap = '"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"}';
const reading = '"apiVersion":"schema.example/v1","kind":"Reading","metadata":{"name":"x"}';
const container = '"name":"a","image":"i"';

function pod(spec: string): BodyCase {
  return { kind: "Pod", text: `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":${spec}}` };
}

function withMetadata(kind: BodyCase["kind"], metadata: string): BodyCase {
  const apiVersion = kind === "Reading" ? "schema.example/v1" : "v1";
  return { kind, text: `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":${metadata}}` };
}

const broken: Readonly<Record<string, string>> = {
  nothing: "",
  "a word": "hello",
  "cut off": `{${configMap},"data":{"a":"b"`,
  "more after it": `{${configMap}} x`,
  "no value": `{${configMap},"data":{"a":}}`,
  "single quotes": `{${configMap},'data':{}}`,
  "no colon": `{"a" 1}`,
  "no comma": `{"a":1 "b":2}`,
  "no comma in a list": `[1 2]`,
  "a comma too much": `{"a":1,}`,
  "a control character": `{"a":"\u0001"}`,
  "a bad escape": `{"a":"\\q"}`,
  "a bad unicode escape": `{"a":"\\u12x4"}`,
  "a bad literal": `{"a":trUe}`,
  "a number with a leading zero": `{"a":01}`,
  "a number without digits": `{"a":-}`,
  "a number that ends in a point": `{"a":1.}`,
  "a number that ends in an exponent": `{"a":1e}`,
  "a character of two bytes": `{"a":é}`,
  "a quote in the wrong place": `{"a":1"b"}`,
  "a list": "[]",
  "a text": '"x"',
  "a number": "3",
  "a boolean": "true",
  "too many levels": `{${configMap},"x":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
};

export const bodyCases: Readonly<Record<string, BodyCase>> = {
  ...Object.fromEntries(Object.entries(broken).map(([name, text]) => [name, { kind: "ConfigMap" as const, text }])),
  "as many levels as there may be": {
    kind: "ConfigMap",
    text: `{${configMap},"x":${"[".repeat(990)}${"]".repeat(990)}}`,
  },
  duplicates: { kind: "ConfigMap", text: `{${configMap},"data":{"a":"b","a":"c","a":"d"}}` },
  "duplicates by escape": { kind: "ConfigMap", text: `{${configMap},"data":{"a\\"b":"b","a\\u0022b":"c"}}` },
  "unknown fields": { kind: "ConfigMap", text: `{${configMap},"foo":{"b":1},"data":{"a":"b"},"Data":2,"__proto__":3}` },
  "unknown metadata": withMetadata(
    "ConfigMap",
    '{"name":"x","foo":1,"ownerReferences":[{"apiVersion":"v1","kind":"x","name":"y","uid":"z","zz":1}],"managedFields":[{"oo":1}]}',
  ),
  "text for a number": pod('{"terminationGracePeriodSeconds":"x"}'),
  "number for a text": pod('{"hostname":3}'),
  "boolean for a text": pod('{"hostname":true}'),
  "text for a boolean": pod('{"hostNetwork":"true"}'),
  "object for a list": pod('{"containers":{}}'),
  "text for a list": pod('{"containers":"x"}'),
  "list for an object": pod('{"containers":[[]]}'),
  "text for an object": pod('"x"'),
  "number in a container": pod('{"containers":[{"name":1}]}'),
  "text for a port": pod('{"containers":[{"name":"a","ports":[{"containerPort":"x"}]}]}'),
  "text for resources": pod('{"containers":[{"name":"a","resources":"x"}]}'),
  "a fraction": pod('{"terminationGracePeriodSeconds":1.5}'),
  "too large a number": pod('{"priority":99999999999}'),
  "number in a map": pod('{"nodeSelector":{"a":1}}'),
  "number in a list": pod(`{"containers":[{${container},"args":["a",1]}]}`),
  "a bad quantity": pod(`{"containers":[{${container},"resources":{"limits":{"cpu":"abc"}}}]}`),
  "a quantity with a bad suffix": pod(`{"containers":[{${container},"resources":{"limits":{"cpu":"1MM"}}}]}`),
  "a boolean quantity": pod(`{"containers":[{${container},"resources":{"limits":{"cpu":true}}}]}`),
  "two wrong types": pod('{"hostname":3,"subdomain":4}'),
  "a bad time": withMetadata("ConfigMap", '{"name":"x","creationTimestamp":"yesterday"}'),
  "a time without a zone": withMetadata("ConfigMap", '{"name":"x","creationTimestamp":"2020-01-01T00:00:00"}'),
  "a number for a time": withMetadata("ConfigMap", '{"name":"x","creationTimestamp":3}'),
  "text for metadata": withMetadata("ConfigMap", '"x"'),
  "a number label": withMetadata("ConfigMap", '{"name":"x","labels":{"a":1}}'),
  "a list of labels": withMetadata("ConfigMap", '{"name":"x","labels":[]}'),
  "an object for finalizers": withMetadata("ConfigMap", '{"name":"x","finalizers":{}}'),
  "text for an owner": withMetadata("ConfigMap", '{"name":"x","ownerReferences":["x"]}'),
  "bad base64": {
    kind: "Secret",
    text: '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"},"data":{"a":"YQ=?"}}',
  },
  "base64 without its end": {
    kind: "Secret",
    text: '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"},"data":{"a":"YWJjZA"}}',
  },
  "a number for base64": {
    kind: "Secret",
    text: '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"},"data":{"a":1}}',
  },
  "base64 with line breaks": {
    kind: "Secret",
    text: '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"},"data":{"a":"aGVs\\nbG8="}}',
  },
  "nulls and empty fields": {
    kind: "ConfigMap",
    text: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","labels":null,"annotations":{},"finalizers":[]},"data":{"a":null,"b":""},"binaryData":{},"immutable":null}',
  },
  "a custom object": { kind: "Reading", text: `{${reading},"spec":{"a":1,"__proto__":{"b":1},"constructor":2}}` },
  "a custom object's duplicates": {
    kind: "Reading",
    text: `{${reading},"spec":{"a":1,"a":2,"m":{"k.k":{"x":"a","x":"b"}},"l":[{"x":"y","x":"z"}],"ll":[[{"x":"y","x":"z"}]]},"spec":{"s":"t"}}`,
  },
  "a custom object's unknown fields": {
    kind: "Reading",
    text: `{${reading},"zz":1,"aa":{"bb":1},"spec":{"zzz":1,"m":{"k.k":{"y":"a"}},"l":[{"y":"y"}],"ll":[[{"y":"y"}]],"p":{"o":1,"k":{"u":1}},"e":{"apiVersion":"v1","kind":"X","metadata":{"name":"x","oo":1},"w":1}}}`,
  },
  "a custom object's unknown metadata": withMetadata(
    "Reading",
    '{"name":"x","zoo":1,"foo":1,"ownerReferences":[{"apiVersion":"v1","kind":"x","name":"y","uid":"z","zz":1}]}',
  ),
  "a custom object's number label": withMetadata("Reading", '{"name":"x","labels":{"a":1}}'),
  "a custom object's number name": withMetadata("Reading", '{"name":3}'),
  "a custom object's text for metadata": withMetadata("Reading", '"x"'),
  "a custom object's bad time": withMetadata("Reading", '{"name":"x","creationTimestamp":"x"}'),
  "a custom object's nulls": {
    kind: "Reading",
    text: '{"apiVersion":"schema.example/v1","kind":"Reading","metadata":{"name":"x","labels":null,"annotations":{},"finalizers":[]},"spec":{"a":null,"s":"","l":[{"x":null}],"m":{"z":null}}}',
  },
};

/** YAML scalars, and what they are as JSON. */
export const yamlScalars: Readonly<Record<string, unknown>> = {
  yes: true,
  no: false,
  on: true,
  off: false,
  y: true,
  n: false,
  TRUE: true,
  "~": null,
  Null: null,
  "0777": 511,
  "0o17": 15,
  "0x1F": 31,
  "0b101": 5,
  "1_000": 1000,
  "1e3": 1000,
  ".5": 0.5,
  "1.": 1,
  "+12": 12,
  "018": 18,
  "2001-01-01": "2001-01-01",
  "2001-12-14t21:59:43.10-05:00": "2001-12-14t21:59:43.10-05:00",
  "12:30:45": "12:30:45",
  "190:20:30": "190:20:30",
  "!!str 12": "12",
  "!!binary aGVsbG8=": "hello",
  '"a\\x41"': "aA",
  "=": "=",
  "# nothing": null,
};
