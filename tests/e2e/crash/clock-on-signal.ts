// A service loads this module before its own program. The signal SIGUSR2 then moves the clock of the service forward by
// three minutes. The service uses this clock for leases and due times until it next compares the clock with the
// database clock, within a minute.
const STEP_MS = 3 * 60_000;

const actualNow = Date.now;
let aheadMs = 0;
const now = (): number => actualNow() + aheadMs;

globalThis.Date = new Proxy(Date, {
  construct: (date, values, target) => Reflect.construct(date, values.length === 0 ? [now()] : values, target) as Date,
  get: (date, name, receiver) => (name === 'now' ? now : (Reflect.get(date, name, receiver) as unknown)),
});

process.on('SIGUSR2', () => {
  aheadMs += STEP_MS;
});
