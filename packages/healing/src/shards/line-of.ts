/** Which of `count` lines a pod is in: the same in every process and for ever (FNV-1a over its UID). */
export function lineOf(uid: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < uid.length; i++) hash = Math.imul(hash ^ uid.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % count;
}
