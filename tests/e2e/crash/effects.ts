// Subscribes to events as a service does. It writes one document for each event under the event's id, as every consumer
// of the product must.
import { events } from '@invoicecontrol/contracts/events';
import type { EventHeader, EventType } from '@invoicecontrol/contracts/events';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { connectMongo, isDuplicateKey } from '@invoicecontrol/runtime/mongo/connection';
import { deadLetterStore } from '@invoicecontrol/runtime/mongo/dead-letters';
import { connectTestNats } from '@invoicecontrol/runtime/testing/test-bus';
import { subscribe } from '@invoicecontrol/runtime/nats/subscribe';
import { isOutage } from '@invoicecontrol/runtime/outage';

export interface Effect {
  /** Id of the consumed event, which is also the id of the document that its consumer writes. */
  readonly _id: string;
  readonly event: string;
  readonly payload: string;
}

export interface Effects {
  all(): Promise<readonly Effect[]>;
  /**
   * Events that arrived at the test's consumer again under a known id with different content, and events that could not
   * be handled.
   */
  faults(): Promise<readonly string[]>;
  /** Deletes every document that the consumer wrote, as if the database of its service were empty. */
  forget(): Promise<void>;
  /**
   * Describes for an error message where the events of the test are in the broker, and the progress that the broker
   * records for the consumer.
   */
  whereabouts(eventIds: readonly string[]): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export async function startEffects({ mongodbUrl, natsUrl }: { mongodbUrl: string; natsUrl: string }): Promise<Effects> {
  const logger = createLogger({ service: 'effects', level: 'silent' });
  const mongo = await connectMongo({ url: mongodbUrl, databaseName: 'effects', appName: 'effects' });
  const bus = await connectTestNats({ url: natsUrl, name: 'effects', logger });
  const effects = mongo.db.collection<Effect>('effects');
  const contradictions: string[] = [];

  const listen = <T extends EventHeader>(type: EventType<T>): ReturnType<typeof subscribe> =>
    subscribe(
      { bus, deadLetters: deadLetterStore(mongo.db), isOutage, logger },
      {
        service: 'effects',
        type,
        async handle(event) {
          const effect = { _id: event.eventId, event: type.name, payload: JSON.stringify(type.codec.toJSON(event)) };
          try {
            await effects.insertOne(effect);
          } catch (error) {
            if (!isDuplicateKey(error)) throw error;
            const known = await effects.findOne({ _id: effect._id });
            if (known?.payload !== effect.payload) contradictions.push(`event ${effect._id} has two contents`);
          }
        },
      },
    );
  const subscriptions = [
    await listen(events.invoiceAnalyzed),
    await listen(events.findingCreated),
    await listen(events.scanCompleted),
  ];
  return {
    all: () => effects.find().toArray(),
    async faults() {
      const letters = await mongo.db.collection('dead_letters').find().toArray();
      return [...contradictions, ...letters.map(({ _id, error }) => `dead letter ${String(_id)}: ${String(error)}`)];
    },
    async forget() {
      await effects.deleteMany();
    },
    async whereabouts(eventIds) {
      const told: string[] = [];
      for (const type of [events.invoiceAnalyzed, events.findingCreated, events.scanCompleted]) {
        const { state } = await bus.manager.streams.info(type.stream);
        const places: string[] = [];
        for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
          const message = await bus.manager.streams.getMessage(type.stream, { seq });
          const id = message?.header.get('Nats-Msg-Id');
          if (id !== undefined && message?.subject === type.subject && eventIds.includes(id))
            places.push(`${id} at ${seq}`);
        }
        const consumer = await bus.manager.consumers.info(type.stream, `effects__${type.name}`);
        const { delivered, ack_floor, num_ack_pending, num_pending, num_redelivered, num_waiting } = consumer;
        told.push(
          `${type.name}: ${places.join(', ') || 'not in the stream'}; stream ${state.first_seq} to ${state.last_seq}; ` +
            JSON.stringify({ delivered, ack_floor, num_ack_pending, num_pending, num_redelivered, num_waiting }),
        );
      }
      return told;
    },
    async stop() {
      await Promise.all(subscriptions.map((subscription) => subscription.stop()));
      await bus.close();
      await mongo.close();
    },
  };
}
