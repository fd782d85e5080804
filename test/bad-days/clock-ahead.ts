/** `node --import …/clock-ahead.ts`: the wall clock of this process is five minutes ahead. Timers are not affected. */
const aheadMs = 5 * 60_000;
const now = Date.now.bind(Date);

Date.now = () => now() + aheadMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now() + aheadMs] : args, newTarget),
});
