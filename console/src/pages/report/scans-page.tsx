import { Link } from 'wouter';
import type { Caller } from '../../client.js';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { Page } from '../../controls/page.js';
import { formatMoment } from '../../format/moment.js';
import { formatMoney } from '../../format/money.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { useScans } from './queries.js';
import type { ScanSummary } from './queries.js';
import { texts as all } from './texts.js';

const texts = all.scan;

export default function ScansPage() {
  return (
    <Page title={texts.list} right={rights.readScans} intro={texts.intro}>
      <ScanList />
    </Page>
  );
}

function ScanList() {
  const caller = useCaller();
  return (
    <>
      {may(caller, rights.writeScans) && (
        <p>
          <Link to="/scans/new">{all.ledger.open}</Link>
        </p>
      )}
      <DataTable
        title={texts.list}
        hidesTitle
        list={useScans()}
        empty={texts.empty}
        columns={columnsOf(caller)}
        keyOf={({ id }) => id}
      />
    </>
  );
}

function columnsOf({ companies }: Caller): readonly Column<ScanSummary>[] {
  return [
    [texts.at, ({ id, createdAt }) => <Link to={`/scans/${id}`}>{formatMoment(createdAt)}</Link>],
    [texts.company, ({ companyId }) => companies.find(({ id }) => id === companyId)?.name ?? texts.removed],
    [texts.analyzed, ({ invoicesAnalyzed }) => invoicesAnalyzed],
    [texts.skipped, ({ rowsSkipped }) => rowsSkipped],
    [texts.value, ({ analyzedValue, analyzedValueCurrency }) => formatMoney(analyzedValue, analyzedValueCurrency)],
  ];
}
