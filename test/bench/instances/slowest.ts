/** The waits that made a p99 what it is, and whether they came together: then something stood still for all of them. */
export interface Wait {
  /** When its instance was asked for, from the first of all. */
  secondsIn: number;
  /** Of the server to who asked for the instance, before the controller knew of it. In ms, as all below. */
  toAnswer: number;
  /** From the instance to its Deployment. */
  toDeployment: number;
  /** From the last pod's being ready. */
  toRunning: number;
}

const shown = 8;

/** A line each, in the order in which they were asked for. */
export function slowest(waits: readonly Wait[]): string[] {
  return waits
    .toSorted((a, b) => b.toDeployment - a.toDeployment)
    .slice(0, shown)
    .sort((a, b) => a.secondsIn - b.secondsIn)
    .map(({ secondsIn, toAnswer, toDeployment, toRunning }) => {
      const [answer, deployment, running] = [toAnswer, toDeployment, toRunning].map((ms) => ms.toFixed(0));
      return `among the slowest, asked for after ${secondsIn.toFixed(1)} s: answered in ${answer} ms, Deployment after ${deployment} ms, Running ${running} ms after Ready`;
    });
}
