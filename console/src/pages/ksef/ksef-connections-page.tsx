import { useState } from 'react';
import { Link } from 'wouter';
import { useAddressFilters } from '../../address-filters.js';
import type { Caller } from '../../client.js';
import { Button } from '../../controls/button.js';
import { Choice } from '../../controls/choice.js';
import controls from '../../controls/controls.module.css';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { Page } from '../../controls/page.js';
import { formatMoment } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { KsefTag, SubmissionTag } from './ksef-tag.js';
import { KsefDialog } from './ksef-dialog.js';
import { submissionStatuses, useAllSubmissions, useKsefConnections } from './queries.js';
import type { KsefConnection, KsefSubmission } from './queries.js';
import { texts } from './texts.js';

export default function KsefConnectionsPage() {
  return (
    <Page title={texts.title} right={rights.readKsef} intro={texts.intro}>
      <KsefConnections />
      <Submissions />
    </Page>
  );
}

function KsefConnections() {
  const caller = useCaller();
  const [isConnecting, setConnecting] = useState(false);
  return (
    <>
      {may(caller, rights.writeKsef) && (
        <div className={controls['toolbar']}>
          <Button variant="primary" onPress={() => setConnecting(true)}>
            {texts.connect}
          </Button>
        </div>
      )}
      <DataTable
        title={texts.title}
        hidesTitle
        list={useKsefConnections()}
        empty={texts.empty}
        columns={columnsOf(caller)}
        keyOf={({ id }) => id}
      />
      {isConnecting && <KsefDialog onClose={() => setConnecting(false)} />}
    </>
  );
}

/** The submissions of all connections. The filters are in the address of the page. */
function Submissions() {
  const [read, change] = useAddressFilters();
  const status = submissionStatuses.find((one) => one === read('status'));
  const invoiceId = read('invoice');
  const isFiltered = status !== undefined || invoiceId !== '';
  return (
    <>
      <Choice
        label={texts.filter}
        value={status ?? ''}
        onChange={(chosen) => change('status', chosen)}
        options={[['', texts.any], ...submissionStatuses.map((one) => [one, texts.submissionStatuses[one]] as const)]}
      />
      {invoiceId !== '' && (
        <p className={controls['actions']}>
          <span>{texts.invoiceOnly}</span>
          <Button onPress={() => change('invoice', '')}>{texts.anyInvoice}</Button>
        </p>
      )}
      <DataTable
        title={texts.allSubmissions}
        list={useAllSubmissions(status, invoiceId)}
        empty={isFiltered ? texts.noneMatches : texts.noSubmissions}
        columns={submissionColumns}
        keyOf={({ id }) => id}
      />
    </>
  );
}

const submissionColumns: readonly Column<KsefSubmission>[] = [
  [
    texts.startedAt,
    ({ id, connectionId, createdAt }) => (
      <Link to={`/ksef/${connectionId}/submissions/${id}`}>{formatMoment(createdAt)}</Link>
    ),
  ],
  [texts.status, ({ status }) => <SubmissionTag status={status} />],
  [texts.number, ({ ksefNumber }) => ksefNumber ?? '–'],
  [texts.nextStep, ({ nextStep }) => nextStep],
];

function columnsOf({ companies }: Caller): readonly Column<KsefConnection>[] {
  return [
    [texts.nip, ({ id, contextNipMasked }) => <Link to={`/ksef/${id}`}>{contextNipMasked}</Link>],
    [texts.company, ({ companyId }) => companies.find(({ id }) => id === companyId)?.name ?? '–'],
    [texts.environment, ({ environment }) => texts.environments[environment]],
    [texts.status, ({ status }) => <KsefTag status={status} />],
    [texts.inboxState, ({ inbox }) => (inbox.enabled ? texts.on : texts.off)],
    [texts.tested, ({ lastTestedAt }) => (lastTestedAt === null ? '–' : formatMoment(lastTestedAt))],
  ];
}
