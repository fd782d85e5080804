/** The name under which a rule finds a property that is no name in CEL: `self.__namespace__`, `self.x__dash__y`. */
const reserved = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace return var " +
    "void while"
  ).split(" "),
);

const spelled = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);

/** Undefined where no rule can name it. */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[./-]/g, (part) => spelled.get(part) as string);
}
