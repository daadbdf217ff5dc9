import { Link } from 'wouter';
import { Button } from '../../controls/button.js';
import { Rows } from '../../controls/data-table.js';
import { Facts } from '../../controls/facts.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { formatMoney } from '../../format/money.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { useScan } from './queries.js';
import type { Scan } from './queries.js';
import { ScanFigures } from './scan-figures.js';
import { texts as all } from './texts.js';
import { reviewTexts } from '../../findings/texts.js';

const texts = all.scan;

export default function ScanPage({ scanId }: { readonly scanId: string }) {
  return (
    <Page title={texts.title} right={rights.readScans} back={{ to: '/scans', text: texts.back }}>
      <LoadedScan scanId={scanId} />
    </Page>
  );
}

function LoadedScan({ scanId }: { readonly scanId: string }) {
  return <Loaded query={useScan(scanId)}>{(scan) => <ScanReport scan={scan} />}</Loaded>;
}

function ScanReport({ scan }: { readonly scan: Scan }) {
  const mayReadFindings = may(useCaller(), rights.readFindings);
  const decisionNames = reviewTexts.invoice.decisions as Readonly<Record<string, string>>;
  const findings = Object.entries(scan.findingCounts).toSorted(([, left], [, right]) => right - left);
  return (
    <>
      <Facts
        facts={{
          [texts.analyzed]: scan.invoicesAnalyzed,
          [texts.value]: formatMoney(scan.analyzedValue, scan.analyzedValueCurrency),
          [texts.unconverted]: scan.unconvertedInvoices,
          [texts.skipped]: scan.rowsSkipped,
          ...Object.fromEntries(
            Object.entries(scan.decisionCounts).map(
              ([decision, count]) => [decisionNames[decision] ?? decision, count] as const,
            ),
          ),
        }}
      />
      <div data-screen-only>
        <Button onPress={() => window.print()}>{all.print}</Button>
        {mayReadFindings && (
          <p>
            <Link to={`/findings?disposition=any&scan=${scan.id}`}>{texts.open}</Link>
          </p>
        )}
      </div>
      <ScanFigures scanId={scan.id} />
      <section>
        <h2 id="types">{texts.families}</h2>
        {findings.length === 0 ? (
          <p>{texts.noFindings}</p>
        ) : (
          <Rows
            labelledBy="types"
            rows={findings}
            keyOf={([type]) => type}
            columns={[
              [all.type, ([type]) => <code>{type}</code>],
              [texts.findings, ([, count]) => count],
            ]}
          />
        )}
      </section>
      {scan.skippedRows.length > 0 && (
        <section>
          <h2 id="skipped">{texts.skippedRows}</h2>
          <Rows
            labelledBy="skipped"
            rows={scan.skippedRows}
            keyOf={({ sourceRowNumber }, index) => `${sourceRowNumber} ${index}`}
            columns={[
              [texts.row, ({ sourceRowNumber }) => sourceRowNumber],
              [texts.externalId, ({ externalId }) => <ForeignText>{externalId}</ForeignText>],
              [texts.reason, ({ reason }) => texts.reasons[reason]],
            ]}
          />
        </section>
      )}
    </>
  );
}
