// Deletes an event consumer in the broker of a drill, as a fault of the broker or a wrong command would do.
import { setTimeout as delay } from 'node:timers/promises';
import { events } from '@invoicecontrol/contracts/events';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { isNotFound } from '@invoicecontrol/runtime/nats/stream';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { databaseName } from '@invoicecontrol/topology/services';
import { onEnd } from '../bench/run-program.js';

const LOSE_EACH_MS = 100;
const LOOK_EACH_MS = 100;
const { stream, name: event } = events.invoiceAnalyzed;

export interface LostConsumer {
  /** Name of the consumer, as metrics, alerts and log lines have it. */
  readonly name: string;
  /**
   * Deletes the event consumer, and waits until its service has created it again.
   * @returns the seconds that this took, or undefined if it took too long
   */
  loseOnce(secondsMax: number): Promise<number | undefined>;
  /** Deletes the event consumer whenever its service has created it again. */
  loseAgainAndAgain(): void;
  /** Stops deleting the event consumer. */
  leaveAlone(): Promise<void>;
}

/** Opens the consumer by which the webhooks service receives the analyses of invoices. */
export async function openLostConsumer(natsUrl: string): Promise<LostConsumer> {
  const name = `${databaseName('webhooks')}__${event}`;
  const logger = createLogger({ service: 'drill', level: 'silent' });
  const bus = await connectTestNats({ url: natsUrl, name: 'drill', logger });
  onEnd(() => bus.close());
  const exists = async (): Promise<boolean> => {
    try {
      await bus.manager.consumers.info(stream, name);
      return true;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
  };
  const lose = async (): Promise<void> => {
    if (await exists()) await bus.manager.consumers.delete(stream, name);
  };
  let isLosing = false;
  let losing: Promise<void> = Promise.resolve();
  return {
    name,
    async loseOnce(secondsMax) {
      await lose();
      const beganMs = performance.now();
      while (performance.now() - beganMs < secondsMax * 1_000) {
        if (await exists()) return (performance.now() - beganMs) / 1_000;
        await delay(LOOK_EACH_MS);
      }
      return undefined;
    },
    loseAgainAndAgain() {
      isLosing = true;
      losing = (async () => {
        while (isLosing) {
          await lose();
          await delay(LOSE_EACH_MS);
        }
      })();
    },
    async leaveAlone() {
      isLosing = false;
      await losing;
    },
  };
}
