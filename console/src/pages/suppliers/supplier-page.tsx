import { useState } from 'react';
import { Link } from 'wouter';
import { ActButton } from '../../controls/act-button.js';
import { Button } from '../../controls/button.js';
import { Rows } from '../../controls/data-table.js';
import { Facts } from '../../controls/facts.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { FormDialog } from '../../controls/form-dialog.js';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { Tag } from '../../controls/tag.js';
import { client } from '../../client.js';
import { formatDay, formatMoment } from '../../format/moment.js';
import { usePeople } from '../../people.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { InvoiceTable } from '../invoices/invoice-table.js';
import { SUPPLIERS, useSupplier } from './queries.js';
import type { SupplierAccount, SupplierOverview } from './queries.js';
import { SupplierTag } from './supplier-tag.js';
import { texts } from './texts.js';

export default function SupplierPage({ supplierId }: { readonly supplierId: string }) {
  return (
    <Page title={texts.title} right={rights.readInvoices} back={{ to: '/suppliers', text: texts.back }}>
      <LoadedSupplier supplierId={supplierId} />
    </Page>
  );
}

function LoadedSupplier({ supplierId }: { readonly supplierId: string }) {
  return <Loaded query={useSupplier(supplierId)}>{(supplier) => <Supplier supplier={supplier} />}</Loaded>;
}

function Supplier({ supplier }: { readonly supplier: SupplierOverview }) {
  const { id, name, taxIds, country, status, invoiceCount, firstInvoiceDate, lastInvoiceDate, openFindings } = supplier;
  const mayReadFindings = may(useCaller(), rights.readFindings);
  return (
    <>
      <h2>
        <ForeignText>{name}</ForeignText>
      </h2>
      <Facts
        facts={{
          [texts.taxIds]: taxIds.length === 0 ? undefined : <ForeignText>{taxIds.join(', ')}</ForeignText>,
          [texts.country]: country,
          [texts.status]: <SupplierTag status={status} />,
          [texts.invoices]: invoiceCount,
          [texts.first]: firstInvoiceDate === null ? undefined : formatDay(firstInvoiceDate),
          [texts.last]: lastInvoiceDate === null ? undefined : formatDay(lastInvoiceDate),
          [texts.open]: openFindings,
        }}
      />
      {mayReadFindings && (
        <p>
          <Link to={`/findings?disposition=any&supplier=${id}`}>{texts.findings}</Link>
        </p>
      )}
      <Accounts supplier={supplier} />
      <InvoiceTable filters={{ supplier_id: id }} />
    </>
  );
}

const tones = { UNVERIFIED: 'quiet', SEEN: 'open', ERP: 'good', REVIEWED: 'good', FRAUD: 'bad' } as const;

function Accounts({ supplier: { id, accounts } }: { readonly supplier: SupplierOverview }) {
  const mayVerify = may(useCaller(), rights.writePayments);
  const [verified, setVerified] = useState<SupplierAccount>();
  return (
    <section>
      <h2 id="accounts">{texts.accounts}</h2>
      {accounts.length === 0 ? (
        <p>{texts.noAccounts}</p>
      ) : (
        <Rows
          labelledBy="accounts"
          rows={accounts}
          keyOf={(account) => account.id}
          columns={[
            [texts.account, ({ masked }) => masked],
            [texts.trust, ({ trust }) => <Tag tone={tones[trust]}>{texts.trusts[trust]}</Tag>],
            [texts.firstSeen, ({ firstSeen }) => formatDay(firstSeen.slice(0, 10))],
            [texts.lastSeen, ({ lastSeen }) => formatDay(lastSeen.slice(0, 10))],
            [texts.invoices, ({ invoiceCount }) => invoiceCount],
            [texts.shared, ({ sharedWith }) => sharedWith],
            [
              texts.verifications,
              (account) => (
                <>
                  <Verifications supplierId={id} account={account} mayConfirm={mayVerify} />
                  {mayVerify && <Button onPress={() => setVerified(account)}>{texts.verify}</Button>}
                </>
              ),
            ],
          ]}
        />
      )}
      {verified !== undefined && (
        <Verification supplierId={id} accountId={verified.id} onClose={() => setVerified(undefined)} />
      )}
    </section>
  );
}

interface VerificationsProps {
  readonly supplierId: string;
  readonly account: SupplierAccount;
  readonly mayConfirm: boolean;
}

function Verifications({ supplierId, account, mayConfirm }: VerificationsProps) {
  const { nameOf, isMe } = usePeople();
  if (account.verifications.length === 0) return <p>{texts.noVerification}</p>;
  return (
    <ul>
      {account.verifications.map(({ id: verificationId, method, at, by, note, confirmation }) => (
        <li key={verificationId}>
          {texts.verified(texts.methods[method], formatMoment(at), nameOf(by))}
          {note !== null && (
            <>
              {': '}
              <ForeignText>{note}</ForeignText>
            </>
          )}
          {confirmation !== null && `, ${texts.confirmed(nameOf(confirmation.by))}`}
          {confirmation === null && mayConfirm && !isMe(by) && (
            <ActButton
              refreshes={[SUPPLIERS]}
              act={async () => {
                const path = { supplierId, accountId: account.id, verificationId };
                await client.post(
                  '/suppliers/{supplierId}/accounts/{accountId}/verifications/{verificationId}/confirm',
                  { path },
                );
                return texts.confirmDone;
              }}
            >
              {texts.confirmOf(account.masked)}
            </ActButton>
          )}
        </li>
      ))}
    </ul>
  );
}

const methods = ['CALL_BACK', 'LETTER', 'PORTAL', 'IN_PERSON'] as const;
const sources = ['VENDOR_MASTER', 'CONTRACT', 'PUBLIC_REGISTER'] as const;

function Verification({
  supplierId,
  accountId,
  onClose,
}: {
  readonly supplierId: string;
  readonly accountId: string;
  readonly onClose: () => void;
}) {
  return (
    <FormDialog
      title={texts.verify}
      text={<p>{texts.verifyText}</p>}
      submit={texts.verifySubmit}
      fields={{
        method: {
          label: texts.method,
          kind: 'choice',
          value: methods[0],
          options: methods.map((one) => [one, texts.methods[one]] as const),
        },
        source: {
          label: texts.source,
          kind: 'choice',
          value: sources[0],
          options: sources.map((one) => [one, texts.sources[one]] as const),
        },
        contact: { label: texts.contact, help: texts.contactHelp, kind: 'text' },
        note: { label: texts.note, kind: 'paragraphs', isRequired: false },
      }}
      act={({ method, source, contact, note }) => {
        const body = {
          method: method as (typeof methods)[number],
          contact_source: source as (typeof sources)[number],
          contact,
          ...(note === '' ? {} : { note }),
        };
        const path = { supplierId, accountId };
        return client.post('/suppliers/{supplierId}/accounts/{accountId}/verifications', { path, body });
      }}
      refreshes={[SUPPLIERS]}
      onClose={onClose}
    />
  );
}
