import { Link } from 'wouter';
import { useAddressFilters } from '../../address-filters.js';
import { Button } from '../../controls/button.js';
import { Choice } from '../../controls/choice.js';
import controls from '../../controls/controls.module.css';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { DayRange } from '../../controls/day-range.js';
import { Tag } from '../../controls/tag.js';
import { formatMoment } from '../../format/moment.js';
import { deliveryStatuses, eventTypes, useDeliveries } from './queries.js';
import type { Delivery } from './queries.js';
import { texts } from './texts.js';

/** The deliveries of one webhook, or of all. The filters are in the address of the page. */
export function Deliveries({ title, webhookId }: { readonly title: string; readonly webhookId: string | undefined }) {
  const [read, change] = useAddressFilters();
  const filters = {
    webhookId,
    status: deliveryStatuses.find((one) => one === read('status')),
    eventType: eventTypes.find((one) => one === read('event')),
    invoiceId: read('invoice'),
    from: read('from'),
    to: read('to'),
  };
  return (
    <>
      <div className={controls['toolbar']}>
        <Choice
          label={texts.filter}
          value={filters.status ?? ''}
          onChange={(chosen) => change('status', chosen)}
          options={[['', texts.any], ...deliveryStatuses.map((one) => [one, texts.deliveryStatuses[one]] as const)]}
        />
        <Choice
          label={texts.columns.event}
          value={filters.eventType ?? ''}
          onChange={(chosen) => change('event', chosen)}
          options={[['', texts.anyEvent], ...eventTypes.map((one) => [one, one] as const)]}
        />
      </div>
      <DayRange
        labels={texts}
        days={filters}
        onChange={(changed) => Object.entries(changed).forEach(([name, day]) => change(name, day))}
      />
      {filters.invoiceId !== '' && (
        <p className={controls['actions']}>
          <span>{texts.invoiceOnly}</span>
          <Button onPress={() => change('invoice', '')}>{texts.anyInvoice}</Button>
        </p>
      )}
      <DataTable
        title={title}
        list={useDeliveries(filters)}
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
