import type { Schemas } from '@invoicecontrol/client/browser';
import { Link } from 'wouter';
import { useAddressFilters } from '../../address-filters.js';
import { Button } from '../../controls/button.js';
import { Choice } from '../../controls/choice.js';
import controls from '../../controls/controls.module.css';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { DayRange } from '../../controls/day-range.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Page } from '../../controls/page.js';
import { SearchField } from '../../controls/search-field.js';
import { formatMoment } from '../../format/moment.js';
import { shortId } from '../../format/person.js';
import { usePeople } from '../../people.js';
import { rights } from '../../rights.js';
import { outcomes, useAuditEvents } from './queries.js';
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

/** The audit trail. Its filters are in the address, so that a colleague can be sent the same view. */
function AuditEvents() {
  const { nameOf } = usePeople();
  const [read, change] = useAddressFilters();
  const filters = {
    from: read('from'),
    to: read('to'),
    actor: read('actor'),
    action: read('action'),
    target: read('target'),
    outcome: outcomes.find((one) => one === read('outcome')),
  };
  const list = useAuditEvents(filters);
  const actor = list.items?.find((event) => event.actor.id === filters.actor)?.actor;
  return (
    <>
      <DayRange
        labels={texts}
        days={filters}
        onChange={(changed) => Object.entries(changed).forEach(([name, day]) => change(name, day))}
      />
      <div className={controls['toolbar']}>
        <SearchField label={texts.action} value={filters.action} onSearch={(text) => change('action', text)} />
        <SearchField label={texts.target} value={filters.target} onSearch={(text) => change('target', text)} />
        <Choice
          label={texts.outcome}
          value={filters.outcome ?? ''}
          onChange={(chosen) => change('outcome', chosen)}
          options={[['', texts.anyOutcome], ...outcomes.map((one) => [one, texts.outcomes[one] ?? one] as const)]}
        />
      </div>
      {filters.actor !== '' && (
        <p className={controls['actions']}>
          <span>
            <ForeignText>
              {texts.only(
                actor === undefined ? shortId(filters.actor) : nameOf(`${actor.type}:${actor.id}`, actor.name),
              )}
            </ForeignText>
          </span>
          <Button onPress={() => change('actor', '')}>{texts.everybody}</Button>
        </p>
      )}
      <DataTable
        title={texts.title}
        hidesTitle
        list={list}
        empty={texts.empty}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </>
  );
}

/** Who did it, as a link to the other events of the same person or API key. */
function Actor({ actor: { type, id, name } }: Pick<AuditEvent, 'actor'>) {
  const { nameOf } = usePeople();
  if (type === 'SYSTEM') return texts.system;
  return (
    <Link to={`/audit?actor=${encodeURIComponent(id)}`}>
      <ForeignText>{nameOf(`${type}:${id}`, name)}</ForeignText>
    </Link>
  );
}

const columns: readonly Column<AuditEvent>[] = [
  [texts.at, ({ at }) => formatMoment(at)],
  [texts.actor, ({ actor }) => <Actor actor={actor} />],
  [texts.action, ({ action }) => <code>{action}</code>],
  [texts.target, ({ target }) => <ForeignText>{target}</ForeignText>],
  [texts.outcome, ({ outcome }) => texts.outcomes[outcome] ?? outcome],
  [texts.request, ({ requestId }) => (requestId === null ? '–' : <code>{requestId}</code>)],
  [texts.ip, ({ ip }) => ip ?? '–'],
];
