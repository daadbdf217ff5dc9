import { Link } from 'wouter';
import { ActButton } from '../../controls/act-button.js';
import { Bars } from '../../controls/bars.js';
import { Rows } from '../../controls/data-table.js';
import { Facts } from '../../controls/facts.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loaded } from '../../controls/loaded.js';
import { client } from '../../client.js';
import { saveFile } from '../../files.js';
import { reviewTexts } from '../../findings/texts.js';
import { formatMoney } from '../../format/money.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { useScanReport } from './queries.js';
import type { ScanReport } from './queries.js';
import { texts as all } from './texts.js';

const texts = all.scan;
/** The API may add families. A family without a name is shown by its code. */
const familyNames: Readonly<Record<string, string>> = reviewTexts.finding.families;

/** The report of a history scan: what can be saved, and by decision, family, month and supplier. */
export function ScanFigures({ scanId }: { readonly scanId: string }) {
  return <Loaded query={useScanReport(scanId)}>{(report) => <Figures scanId={scanId} report={report} />}</Loaded>;
}

function Figures({ scanId, report }: { readonly scanId: string; readonly report: ScanReport }) {
  const mayReadFindings = may(useCaller(), rights.readFindings);
  const { value, byDecision, byFamily, byMonth, topSuppliers, savings } = report;
  const money = (amount: string): string => formatMoney(amount, value.currency);
  const saved = (amount: string): string => formatMoney(amount, savings.currency);
  return (
    <>
      <h2>{texts.savings}</h2>
      <p>{texts.savingsHelp}</p>
      <Facts
        facts={{
          [texts.potential]: saved(savings.potential),
          [texts.confirmed]: saved(savings.confirmed),
          [texts.dismissed]: saved(savings.dismissed),
        }}
      />
      <div data-screen-only>
        <ActButton
          refreshes={[]}
          act={async () => {
            const path = { scanId };
            const { data, headers } = await client.file('/scans/{scanId}/report', {
              path,
              headers: { accept: 'text/csv' },
            });
            return all.saved(saveFile(data, headers, 'scan-report.csv'));
          }}
        >
          {all.csv}
        </ActButton>
      </div>
      <section>
        <h2 id="decisions">{texts.decisions}</h2>
        <Rows
          labelledBy="decisions"
          rows={byDecision}
          keyOf={({ decision }) => decision}
          columns={[
            [texts.decision, ({ decision }) => reviewTexts.invoice.decisions[decision]],
            [texts.invoices, ({ invoices }) => invoices],
            [texts.value, ({ amount }) => money(amount)],
          ]}
        />
      </section>
      {byFamily.length > 0 && (
        <section>
          <h2 id="families">{texts.byFamily}</h2>
          <Rows
            labelledBy="families"
            rows={byFamily}
            keyOf={({ family }) => family}
            columns={[
              [
                texts.family,
                ({ family }) =>
                  mayReadFindings ? (
                    <Link to={`/findings?disposition=any&scan=${scanId}&family=${family}`}>
                      {familyNames[family] ?? family}
                    </Link>
                  ) : (
                    (familyNames[family] ?? family)
                  ),
              ],
              [texts.findings, ({ findings }) => findings],
              [texts.invoices, ({ invoices }) => invoices],
              [all.atRisk, ({ amountAtRisk }) => money(amountAtRisk)],
            ]}
          />
        </section>
      )}
      {byMonth.length > 0 && (
        <section>
          <h2 id="months">{all.byMonth}</h2>
          <Bars
            label={texts.invoicesByMonth}
            bars={byMonth.map(({ month, invoices }) => ({ name: month, value: invoices }))}
          />
          <Rows
            labelledBy="months"
            rows={byMonth}
            keyOf={({ month }) => month}
            columns={[
              [all.month, ({ month }) => month],
              [texts.invoices, ({ invoices }) => invoices],
              [texts.value, ({ amount }) => money(amount)],
              [all.atRisk, ({ amountAtRisk }) => money(amountAtRisk)],
            ]}
          />
        </section>
      )}
      {topSuppliers.length > 0 && (
        <section>
          <h2 id="top-suppliers">{texts.topSuppliers}</h2>
          <Rows
            labelledBy="top-suppliers"
            rows={topSuppliers}
            keyOf={({ supplierId }) => supplierId}
            columns={[
              [
                texts.supplier,
                ({ supplierId, supplierName }) => (
                  <Link to={`/suppliers/${supplierId}`}>
                    <ForeignText>{supplierName}</ForeignText>
                  </Link>
                ),
              ],
              [texts.findings, ({ findings }) => findings],
              [texts.invoices, ({ invoices }) => invoices],
              [all.atRisk, ({ amountAtRisk }) => money(amountAtRisk)],
            ]}
          />
        </section>
      )}
    </>
  );
}
