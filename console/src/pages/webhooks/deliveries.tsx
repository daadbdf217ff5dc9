import { useState } from 'react';
import { Link } from 'wouter';
import { Choice } from '../../controls/choice.js';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { Tag } from '../../controls/tag.js';
import { formatMoment } from '../../format/moment.js';
import { deliveryStatuses, useDeliveries } from './queries.js';
import type { Delivery } from './queries.js';
import { texts } from './texts.js';

/** The deliveries of one webhook, or of all, with a filter by their state. */
export function Deliveries({ title, webhookId }: { readonly title: string; readonly webhookId: string | undefined }) {
  const [chosen, setChosen] = useState('');
  const status = deliveryStatuses.find((one) => one === chosen);
  return (
    <>
      <Choice
        label={texts.filter}
        value={chosen}
        onChange={setChosen}
        options={[['', texts.any], ...deliveryStatuses.map((one) => [one, texts.deliveryStatuses[one]] as const)]}
      />
      <DataTable
        title={title}
        list={useDeliveries(webhookId, status)}
        empty={texts.noDeliveries}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </>
  );
}

export function DeliveryTag({ status }: Pick<Delivery, 'status'>) {
  const tone = { PENDING: 'open', DELIVERED: 'good', FAILED: 'bad', CANCELED: 'quiet', SKIPPED: 'quiet' } as const;
  return <Tag tone={tone[status]}>{texts.deliveryStatuses[status]}</Tag>;
}

const columns: readonly Column<Delivery>[] = [
  [
    texts.columns.at,
    ({ id, createdAt, eventType }) => (
      <Link to={`/deliveries/${id}`} aria-label={`${eventType}, ${formatMoment(createdAt)}`}>
        {formatMoment(createdAt)}
      </Link>
    ),
  ],
  [texts.columns.event, ({ eventType, test }) => (test ? `${eventType} (${texts.isTest})` : eventType)],
  [texts.columns.status, ({ status }) => <DeliveryTag status={status} />],
  [texts.columns.response, ({ responseCode }) => responseCode ?? '–'],
  [texts.columns.attempts, ({ attemptCount }) => attemptCount],
  [texts.columns.next, ({ nextAttemptAt }) => (nextAttemptAt === null ? '–' : formatMoment(nextAttemptAt))],
];
