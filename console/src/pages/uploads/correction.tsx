import { useState } from 'react';
import { client } from '../../client.js';
import controls from '../../controls/controls.module.css';
import { Loaded } from '../../controls/loaded.js';
import { RequestForm, valuesOf } from '../../controls/request-form.js';
import { nameOfField } from '../../findings/field-name.js';
import { reviewTexts } from '../../findings/texts.js';
import { showInvisible } from '../../format/visible-text.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { PageChoice } from '../invoices/document-view.js';
import styles from '../invoices/invoices.module.css';
import { useDocumentFields } from '../invoices/queries.js';
import { WordsOfPage } from './words-of-page.js';
import { UPLOADS } from './queries.js';
import type { UploadStatus } from './queries.js';
import { texts } from './texts.js';

/** The fields that the form offers, besides the missing ones. */
const correctable = [
  'supplier.name',
  'supplier.tax_id',
  'supplier.bank_account.iban',
  'invoice_number',
  'issue_date',
  'due_date',
  'currency',
  'net_amount',
  'tax_amount',
  'gross_amount',
  'purchase_order_ref',
];

/**
 * Corrects the fields of a document, beside the picture of its pages: the words that a person chooses in the picture
 * fill the field that the person entered last.
 */
export function Correction({ upload, onClose }: { readonly upload: UploadStatus; readonly onClose: () => void }) {
  const { upload_id: uploadId, invoice_id: invoiceId, fields: read = {}, missing_fields: missing = [] } = upload;
  const showsPages = may(useCaller(), rights.readDocuments) && invoiceId !== null;
  const paths = [...new Set([...missing, ...correctable])];
  const fieldOf = (path: string) => {
    const raw = read[path]?.raw;
    const help = missing.includes(path)
      ? texts.isMissing
      : typeof raw === 'string'
        ? reviewTexts.invoice.printed(showInvisible(raw))
        : '';
    return { label: nameOfField(path), help, value: read[path]?.value ?? '', isRequired: false, kind: 'text' } as const;
  };
  const fields = Object.fromEntries(paths.map((path) => [path, fieldOf(path)]));
  const state = useState(() => valuesOf(fields));
  const [, setValues] = state;
  const [chosen, setChosen] = useState(paths[0] ?? '');
  return (
    <section aria-labelledby="correction">
      <h2 id="correction">{texts.correctTitle}</h2>
      <p>{texts.correctText}</p>
      <div className={showsPages ? styles['document'] : undefined}>
        {showsPages && (
          <Pages
            invoiceId={invoiceId}
            field={nameOfField(chosen)}
            onFill={(value) => setValues((before) => ({ ...before, [chosen]: value }))}
          />
        )}
        <RequestForm
          submit={texts.correctSubmit}
          fields={fields}
          state={state}
          onEnter={setChosen}
          refreshes={[UPLOADS, 'invoices', 'findings']}
          act={(values) => {
            const changed = Object.entries(values).filter(
              ([path, value]) => value !== '' && value !== (read[path]?.value ?? ''),
            );
            return client.put('/uploads/{uploadId}/corrections', {
              path: { uploadId },
              body: { fields: Object.fromEntries(changed) },
            });
          }}
          onDone={onClose}
          onCancel={onClose}
        />
      </div>
    </section>
  );
}

interface PagesProps {
  readonly invoiceId: string;
  readonly field: string;
  readonly onFill: (value: string) => void;
}

/** The pages of the document with their words. XML has no pages, and shows nothing here. */
function Pages({ invoiceId, field, onFill }: PagesProps) {
  const [page, setPage] = useState(1);
  const [filled, setFilled] = useState('');
  return (
    <div>
      <Loaded query={useDocumentFields(invoiceId)}>
        {({ pages }) =>
          pages.length > 0 && (
            <>
              <h3>{texts.picture}</h3>
              <p className={controls['help']}>{texts.pictureHelp}</p>
              <p>{texts.fills(field)}</p>
              <p role="status">{filled === '' ? '' : texts.filled(field, showInvisible(filled))}</p>
              <WordsOfPage
                key={page}
                invoiceId={invoiceId}
                page={page}
                pageCount={pages.length}
                field={field}
                onChoose={(value) => {
                  setFilled(value);
                  onFill(value);
                }}
              />
              <PageChoice page={page} pageCount={pages.length} onChange={setPage} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}
