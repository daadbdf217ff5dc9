import { useRef, useState } from 'react';
import type { DocumentField, Invoice } from '../../client.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { ErrorState } from '../../controls/error-state.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loading } from '../../controls/loading.js';
import { formatPercent } from '../../format/percent.js';
import { showInvisible } from '../../format/visible-text.js';
import { Box, PagePicture } from './page-picture.js';
import { useDocumentFields } from './queries.js';
import styles from './invoices.module.css';
import { nameOfField } from '../../findings/field-name.js';
import { reviewTexts } from '../../findings/texts.js';

const texts = reviewTexts.invoice;

/** A field of a document by its path. */
type NamedField = DocumentField & { readonly path: string };

/**
 * The pages of the document of an invoice with a box for each field, beside the fields. Fields that were read least
 * certainly come first, because they are worth checking.
 */
export function DocumentView({ stored }: { readonly stored: Invoice }) {
  const { data, error, refetch } = useDocumentFields(stored.id);
  return (
    <section>
      <h2>{texts.document}</h2>
      {data === undefined && error === null && <Loading />}
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <LoadedDocument
          invoiceId={stored.id}
          pageCount={data.pages.length}
          fields={Object.entries(data.fields)
            .map(([path, field]): NamedField => ({ ...field, path }))
            .toSorted((left, right) => left.confidence - right.confidence)}
        />
      )}
    </section>
  );
}

interface Props {
  readonly invoiceId: string;
  readonly pageCount: number;
  readonly fields: readonly NamedField[];
}

function LoadedDocument({ invoiceId, pageCount, fields }: Props) {
  const [page, setPage] = useState(1);
  const [selected, setSelected] = useState<string>();
  const list = useRef<HTMLUListElement>(null);
  const document = `/v1/invoices/${invoiceId}/document`;
  const hasView = fields.some(({ xpath }) => xpath !== null);
  const select = (field: NamedField): void => {
    setSelected(field.path);
    if (field.page !== null) setPage(field.page);
  };
  const selectInList = (field: NamedField): void => {
    select(field);
    list.current?.querySelector(`[data-path="${field.path}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <p className={styles['links']}>
        {hasView && (
          <a href={`${document}/view`} target="_blank" rel="noopener noreferrer">
            {texts.view}
          </a>
        )}
        <a href={document} download>
          {texts.original}
        </a>
      </p>
      <div className={styles['document']}>
        {pageCount > 0 && (
          <div>
            <PagePicture key={page} invoiceId={invoiceId} page={page} pageCount={pageCount}>
              {fields
                .filter((field) => field.page === page)
                .map((field) => (
                  <Box
                    key={field.path}
                    box={field.box}
                    name={texts.box(nameOfField(field.path), showInvisible(field.value))}
                    isPressed={field.path === selected}
                    onPress={() => selectInList(field)}
                  />
                ))}
            </PagePicture>
            <PageChoice page={page} pageCount={pageCount} onChange={setPage} />
          </div>
        )}
        <div>
          <h3>{texts.fieldsRead}</h3>
          {fields.length === 0 && <p>{texts.noFields}</p>}
          <ul ref={list} className={styles['fields']}>
            {fields.map((field) => (
              <li key={field.path} data-path={field.path}>
                <FieldItem field={field} isSelected={field.path === selected} onSelect={() => select(field)} />
              </li>
            ))}
          </ul>
        </div>
      </div>
    </>
  );
}

/** Leads from page to page of a document that has several. */
export function PageChoice({
  page,
  pageCount,
  onChange,
}: {
  readonly page: number;
  readonly pageCount: number;
  readonly onChange: (page: number) => void;
}) {
  if (pageCount <= 1) return null;
  return (
    <div className={controls['actions']}>
      {page > 1 && <Button onPress={() => onChange(page - 1)}>{texts.previousPage}</Button>}
      {page < pageCount && <Button onPress={() => onChange(page + 1)}>{texts.nextPage}</Button>}
      <span>{texts.page(page, pageCount)}</span>
    </div>
  );
}

/** One field of a document. A field that has a place on a page is a button that shows the place. */
function FieldItem({
  field: { path, value, raw, page, box, confidence, method },
  isSelected,
  onSelect,
}: {
  readonly field: NamedField;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) {
  const content = (
    <>
      <span className={styles['field-name']}>{nameOfField(path)}</span>
      <span>
        <ForeignText>{value}</ForeignText>
      </span>
      <span className={styles['field-origin']}>
        {texts.origin(formatPercent(confidence), texts.methods[method] ?? method, page)}
        {raw !== null && raw !== value && ` ${texts.printed(showInvisible(raw))}`}
      </span>
    </>
  );
  if (box === null) return <div className={styles['field']}>{content}</div>;
  return (
    <button type="button" className={styles['field']} aria-pressed={isSelected} onClick={onSelect}>
      {content}
    </button>
  );
}
