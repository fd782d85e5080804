/**
 * The JSONPath of printer columns and selectable fields: `.status.conditions[?(@.type=="Ready")].status`. What it finds
 * first counts. Ranges, unions and recursive descent are not offered.
 */
type Step = (value: unknown) => unknown[];

/** Undefined where it cannot be read. */
export function compileJsonPath(path: string): ((object: unknown) => unknown) | undefined {
  const steps = readSteps(path);
  return steps && ((object) => steps.reduce<unknown[]>((found, step) => found.flatMap(step), [object])[0]);
}

const stepPattern = /\.((?:\\.|[^.[\]\\])+)|\[(\*|-?\d+|'[^']*')\]|\[\?\((.*?)\)\]|\.(?=\[|$)/y;

function readSteps(path: string): Step[] | undefined {
  const steps: Step[] = [];
  let at = 0;
  while (at < path.length) {
    stepPattern.lastIndex = at;
    const match = stepPattern.exec(path);
    if (!match) return undefined;
    at = stepPattern.lastIndex;
    const [, name, index, filter] = match;
    const step = name !== undefined ? fieldStep(name) : index !== undefined ? indexStep(index) : filterStep(filter);
    if (!step) return undefined;
    steps.push(step);
  }
  return steps;
}

function fieldStep(name: string): Step {
  return name === "*" ? everything : field(unescaped(name));
}

function indexStep(text: string): Step | undefined {
  if (text === "*") return everything;
  // As Kubernetes has it: a dot within the quotes is still one between two fields.
  if (text.startsWith("'")) {
    const find = compileJsonPath(`.${text.slice(1, -1)}`);
    return find && ((value) => [find(value)].filter((found) => found !== undefined));
  }
  const at = Number(text);
  return (value) => (Array.isArray(value) && Math.abs(at) <= value.length ? value.slice(at).slice(0, 1) : []);
}

const operators: Record<string, (order: number) => boolean> = {
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

/** `@.type=="Ready"`, or `@.type` for what has it at all. Undefined text stands for a lone dot: the value itself. */
function filterStep(text: string | undefined): Step | undefined {
  if (text === undefined) return (value) => [value];
  const match = /^\s*@(.*?)\s*(?:(==|!=|<=|>=|<|>)\s*(.+?))?\s*$/.exec(text);
  if (!match) return undefined;
  const [, path = "", operator, literal = ""] = match;
  const find = compileJsonPath(path);
  const holds = operator === undefined ? undefined : operators[operator];
  const wanted = operator === undefined ? undefined : readLiteral(literal);
  if (!find || (operator !== undefined && wanted === undefined)) return undefined;
  return (value) =>
    (Array.isArray(value) ? value : []).filter((item) => {
      const found = find(item);
      if (found === undefined) return false;
      return !holds || (typeof found === typeof wanted && holds(order(found as string, wanted as string)));
    });
}

function readLiteral(text: string): string | number | boolean | undefined {
  if (/^(['"]).*\1$/s.test(text)) return unescaped(text.slice(1, -1));
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

const order = <T>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
const unescaped = (text: string): string => text.replace(/\\(.)/gs, "$1");

function field(name: string): Step {
  return (value) => {
    const isThere = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    return isThere ? [(value as Record<string, unknown>)[name]] : [];
  };
}

function everything(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}
