/** The checks in which the embedded control plane is not yet as the real one, and what it does instead. */
export const differences: Readonly<Record<string, string>> = {
  "logs say why there are none": "no pod has logs as long as nodes are simulated",
};
