/** Does the work for each, so many at once; the answers stand in the order of the questions. Ends with the first error. */
export async function inParallel<In, Out>(
  all: readonly In[],
  atOnce: number,
  work: (one: In) => Promise<Out>,
): Promise<Out[]> {
  const answers: Out[] = new Array(all.length);
  const left = all.entries();
  const lane = async () => {
    // One iterator for all lanes: each takes what nobody has taken.
    for (const [index, one] of left) answers[index] = await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, lane));
  return answers;
}
