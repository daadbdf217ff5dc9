import { useState } from 'react';
import { Link } from 'wouter';
import type { Finding, Invoice } from '../../client.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { ErrorState } from '../../controls/error-state.js';
import { Facts } from '../../controls/facts.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loaded } from '../../controls/loaded.js';
import { Loading } from '../../controls/loading.js';
import { PageTitle } from '../../controls/page-title.js';
import { Evidence } from '../../findings/evidence.js';
import { SeverityTag } from '../../findings/severity-tag.js';
import { invoiceFields } from '../../format/invoice-fields.js';
import { formatDay, formatMoment } from '../../format/moment.js';
import { formatMoney } from '../../format/money.js';
import { showInvisible } from '../../format/visible-text.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { Forbidden } from '../forbidden.js';
import { DecisionTag } from './decision-tag.js';
import { DocumentView } from './document-view.js';
import { useAnalysis, useInvoice, useReanalyze } from './queries.js';
import { Timeline } from './timeline.js';
import styles from './invoices.module.css';
import { nameOfField } from '../../findings/field-name.js';
import { reviewTexts } from '../../findings/texts.js';

const texts = reviewTexts.invoice;

export default function InvoicePage({ invoiceId }: { readonly invoiceId: string }) {
  if (!may(useCaller(), rights.readInvoices)) return <Forbidden right={rights.readInvoices} />;
  return <LoadedInvoice invoiceId={invoiceId} />;
}

function LoadedInvoice({ invoiceId }: { readonly invoiceId: string }) {
  return <Loaded query={useInvoice(invoiceId)}>{(stored) => <InvoiceContent stored={stored} />}</Loaded>;
}

function InvoiceContent({ stored }: { readonly stored: Invoice }) {
  const caller = useCaller();
  const { supplier, invoice_number: number } = stored.invoice;
  const title = [number ?? texts.unread, supplier?.name].filter((part) => part !== undefined).join(' · ');
  const showsDocument = stored.documentId !== null && may(caller, rights.readDocuments);
  return (
    <>
      <p>
        <Link to="/invoices">{texts.back}</Link>
      </p>
      <PageTitle>{showInvisible(title)}</PageTitle>
      <InvoiceFacts stored={stored} />
      {stored.status === 'ANALYZED' && may(caller, rights.analyzeAgain) && stored.source !== 'ERP' && (
        <Reanalysis invoiceId={stored.id} />
      )}
      {stored.status === 'ANALYZED' && <Findings stored={stored} />}
      {showsDocument ? <DocumentView stored={stored} /> : <Content stored={stored} />}
      {stored.status === 'ANALYZED' && <Timeline invoiceId={stored.id} />}
    </>
  );
}

function InvoiceFacts({ stored }: { readonly stored: Invoice }) {
  const { companies } = useCaller();
  const { gross_amount: gross, currency, issue_date: issued, due_date: due } = stored.invoice;
  return (
    <Facts
      facts={{
        [texts.facts.decision]: (
          <>
            {stored.decision === null ? texts.statuses[stored.status] : <DecisionTag decision={stored.decision} />}
            {stored.riskScore !== null && ` ${texts.risk(stored.riskScore)}`}
          </>
        ),
        [texts.facts.gross]: gross === undefined || currency === undefined ? undefined : formatMoney(gross, currency),
        [texts.facts.issued]: issued === undefined ? undefined : formatDay(issued),
        [texts.facts.due]: due === undefined ? undefined : formatDay(due),
        [texts.facts.company]: companies.find(({ id }) => id === stored.companyId)?.name,
        [texts.facts.source]: texts.sources[stored.source],
        [texts.facts.received]: formatMoment(stored.createdAt),
      }}
    />
  );
}

function Reanalysis({ invoiceId }: { readonly invoiceId: string }) {
  const reanalyze = useReanalyze(invoiceId);
  const [outcome, setOutcome] = useState('');
  const start = (): void => {
    setOutcome('');
    reanalyze.mutate(undefined, {
      onSuccess: ({ decision }) => setOutcome(texts.decidedAgain(texts.decisions[decision])),
    });
  };
  return (
    <div className={controls['actions']}>
      <Button isPending={reanalyze.isPending} onPress={start}>
        {texts.reanalyze}
      </Button>
      <span role="status">{outcome}</span>
      {reanalyze.error !== null && <ErrorState error={reanalyze.error} />}
    </div>
  );
}

function Findings({ stored }: { readonly stored: Invoice }) {
  const mayReadAll = may(useCaller(), rights.readFindings);
  const { data: analysis, error, refetch } = useAnalysis(stored);
  const supplier = analysis?.findings.find(({ supplierId }) => supplierId !== null);
  return (
    <section>
      <h2>{texts.findings}</h2>
      {analysis === undefined && error === null && <Loading />}
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {analysis?.findings.length === 0 && <p>{texts.noFindings}</p>}
      <ul className={styles['findings']}>
        {analysis?.findings.map((finding) => (
          <li key={finding.id}>
            <FindingItem finding={finding} isLinked={mayReadAll} />
          </li>
        ))}
      </ul>
      {mayReadAll && supplier?.supplierId !== undefined && (
        <p>
          <Link to={`/findings?disposition=any&supplier=${supplier.supplierId}`}>{texts.ofSupplier}</Link>
        </p>
      )}
    </section>
  );
}

function FindingItem({ finding, isLinked }: { readonly finding: Finding; readonly isLinked: boolean }) {
  const summary = <ForeignText>{finding.summary}</ForeignText>;
  return (
    <article className={styles['finding']} aria-labelledby={`finding-${finding.id}`}>
      <h3 id={`finding-${finding.id}`}>
        {isLinked ? <Link to={`/findings/${finding.id}?disposition=any`}>{summary}</Link> : summary}
      </h3>
      <p className={styles['finding-facts']}>
        <SeverityTag severity={finding.severity} />
        <span>{reviewTexts.finding.dispositions[finding.disposition]}</span>
        <code>{finding.type}</code>
      </p>
      {finding.recommendedAction !== null && (
        <p>
          <ForeignText>{finding.recommendedAction}</ForeignText>
        </p>
      )}
      <details>
        <summary>{reviewTexts.finding.evidence}</summary>
        <Evidence finding={finding} />
      </details>
    </article>
  );
}

/** The fields of an invoice that came without a document, or whose document the person may not read. */
function Content({ stored }: { readonly stored: Invoice }) {
  const fields = invoiceFields(stored.invoice);
  if (fields.length === 0) return null;
  return (
    <section>
      <h2>{texts.content}</h2>
      <dl className={styles['content']}>
        {fields.map(({ path, value }) => (
          <div key={path}>
            <dt>{nameOfField(path)}</dt>
            <dd>
              <ForeignText>{value}</ForeignText>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
