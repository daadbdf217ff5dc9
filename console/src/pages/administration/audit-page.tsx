import type { Schemas } from '@invoicecontrol/client/browser';
import { useSearchParams } from 'wouter';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { DayRange } from '../../controls/day-range.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Page } from '../../controls/page.js';
import { formatMoment } from '../../format/moment.js';
import { usePeople } from '../../people.js';
import { rights } from '../../rights.js';
import { useAuditEvents } from './queries.js';
import { texts as all } from './texts.js';

const texts = all.audit;
type AuditEvent = Schemas['AuditEvent'];

export default function AuditPage() {
  return (
    <Page title={texts.title} right={rights.readAdministration} intro={texts.intro}>
      <AuditEvents />
    </Page>
  );
}

/** The audit trail. Its days are in the address, so that a colleague can be sent the same view. */
function AuditEvents() {
  const [search, setSearch] = useSearchParams();
  const days = { from: search.get('from') ?? '', to: search.get('to') ?? '' };
  return (
    <>
      <DayRange
        labels={texts}
        days={days}
        onChange={(changed) => setSearch({ ...days, ...changed }, { replace: true })}
      />
      <DataTable
        title={texts.title}
        hidesTitle
        list={useAuditEvents(days)}
        empty={texts.empty}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </>
  );
}

function Actor({ actor: { type, id, name } }: Pick<AuditEvent, 'actor'>) {
  const { nameOf } = usePeople();
  return type === 'SYSTEM' ? texts.system : <ForeignText>{nameOf(`${type}:${id}`, name)}</ForeignText>;
}

const columns: readonly Column<AuditEvent>[] = [
  [texts.at, ({ at }) => formatMoment(at)],
  [texts.actor, ({ actor }) => <Actor actor={actor} />],
  [texts.action, ({ action }) => <code>{action}</code>],
  [texts.target, ({ target }) => <ForeignText>{target}</ForeignText>],
  [texts.outcome, ({ outcome }) => outcome],
  [texts.request, ({ requestId }) => (requestId === null ? '–' : <code>{requestId}</code>)],
  [texts.ip, ({ ip }) => ip ?? '–'],
];
