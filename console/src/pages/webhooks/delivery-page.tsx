import { ActButton } from '../../controls/act-button.js';
import { Rows } from '../../controls/data-table.js';
import { Facts } from '../../controls/facts.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { client } from '../../client.js';
import { formatMoment } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { Link } from 'wouter';
import { DeliveryTag } from './deliveries.js';
import { useDelivery, WEBHOOKS } from './queries.js';
import type { DeliveryWithAttempts } from './queries.js';
import { texts } from './texts.js';

export default function DeliveryPage({ deliveryId }: { readonly deliveryId: string }) {
  return (
    <Page title={texts.delivery} right={rights.readWebhooks} back={{ to: '/webhooks', text: texts.back }}>
      <LoadedDelivery deliveryId={deliveryId} />
    </Page>
  );
}

function LoadedDelivery({ deliveryId }: { readonly deliveryId: string }) {
  return <Loaded query={useDelivery(deliveryId)}>{(delivery) => <Delivery delivery={delivery} />}</Loaded>;
}

function Delivery({ delivery }: { readonly delivery: DeliveryWithAttempts }) {
  const { id, webhookId, eventType, eventId, test, status, createdAt, nextAttemptAt, attempts, responseExcerpt } =
    delivery;
  const mayReplay = may(useCaller(), rights.administerWebhooks) && status !== 'PENDING';
  return (
    <>
      <Facts
        facts={{
          [texts.columns.event]: test ? `${eventType} (${texts.isTest})` : eventType,
          [texts.columns.status]: <DeliveryTag status={status} />,
          [texts.eventId]: <code>{eventId}</code>,
          [texts.columns.at]: formatMoment(createdAt),
          [texts.columns.next]: nextAttemptAt === null ? undefined : formatMoment(nextAttemptAt),
        }}
      />
      <p>
        <Link to={`/webhooks/${webhookId}`}>{texts.backToWebhook}</Link>
      </p>
      {mayReplay && (
        <ActButton
          refreshes={[WEBHOOKS]}
          act={async () => {
            await client.post('/webhooks/deliveries/{deliveryId}/replay', { path: { deliveryId: id } });
            return texts.sentAgain;
          }}
        >
          {texts.again}
        </ActButton>
      )}
      <section>
        <h2 id="attempts">{texts.attempts}</h2>
        {attempts.length === 0 ? (
          <p>{texts.noAttempts}</p>
        ) : (
          <Rows
            labelledBy="attempts"
            rows={attempts}
            keyOf={({ at }, index) => `${at} ${index}`}
            columns={[
              [texts.attempt.at, ({ at }) => formatMoment(at)],
              [texts.attempt.outcome, ({ outcome }) => texts.outcomes[outcome] ?? outcome],
              [texts.attempt.response, ({ responseCode }) => responseCode ?? '–'],
              [texts.attempt.duration, ({ durationMs }) => texts.ms(durationMs)],
            ]}
          />
        )}
      </section>
      {responseExcerpt !== null && (
        <section>
          <h2>{texts.excerpt}</h2>
          <p>
            <ForeignText>{responseExcerpt}</ForeignText>
          </p>
        </section>
      )}
      <p>{texts.verify}</p>
    </>
  );
}
