import { useId } from 'react';
import type { ReactNode } from 'react';
import type { List } from '../lists.js';
import { messages } from '../messages/messages.js';
import { Button } from './button.js';
import styles from './controls.module.css';
import { ErrorState } from './error-state.js';
import { Loading } from './loading.js';

/** A column of a table: its heading, and what it shows of an item. */
export type Column<Item> = readonly [heading: string, cell: (item: Item) => ReactNode];

interface RowsProps<Item> {
  /** Name of the table for screen readers, if no heading is shown. */
  readonly label?: string;
  readonly labelledBy?: string;
  readonly rows: readonly Item[];
  /** The first column names the row. */
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item, index: number) => string | number;
}

/** A table. On a phone, each row is a card whose cells name their columns. */
export function Rows<Item>({ label, labelledBy, rows, columns, keyOf }: RowsProps<Item>) {
  return (
    <table className={styles['table']} aria-label={label} aria-labelledby={labelledBy}>
      <thead>
        <tr>
          {columns.map(([heading]) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((item, index) => (
          <tr key={keyOf(item, index)}>
            {columns.map(([heading, cell], column) =>
              column === 0 ? (
                <th key={heading} scope="row">
                  {cell(item)}
                </th>
              ) : (
                <td key={heading} data-column={heading}>
                  {cell(item)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface Props<Item> {
  readonly title: string;
  /** True if the title of the page already names the list. */
  readonly hidesTitle?: boolean;
  readonly list: List<Item>;
  readonly empty: string;
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item, index: number) => string | number;
}

/** A list of the API as a table under its heading, in every state: being read, refused, empty, and with more to read. */
export function DataTable<Item>({ title, hidesTitle = false, list, empty, columns, keyOf }: Props<Item>) {
  const heading = useId();
  const { items, error, retry, readMore } = list;
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading} className={hidesTitle ? 'visually-hidden' : undefined}>
        {title}
      </h2>
      {error !== null && <ErrorState error={error} onRetry={retry} />}
      {items === undefined && error === null && <Loading />}
      {items?.length === 0 && <p>{empty}</p>}
      {items !== undefined && items.length > 0 && (
        <Rows labelledBy={heading} rows={items} columns={columns} keyOf={keyOf} />
      )}
      {readMore !== undefined && <Button onPress={readMore}>{messages.showMore}</Button>}
    </section>
  );
}
