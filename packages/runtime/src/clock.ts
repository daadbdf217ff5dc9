/** Clock: the source of the current time for the services. It is injected, so that tests can control the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
