import type { RecordsOf, StreamName } from '../domain/streams.js';
import type { Page, Session, Window } from '../providers/provider.js';

/** Reads all pages of a stream of ERP records. */
export async function readPages<S extends StreamName>(
  session: Session,
  stream: S,
  window: Window = {},
): Promise<readonly Page<RecordsOf[S]>[]> {
  const pages: Page<RecordsOf[S]>[] = [];
  for await (const page of session.read(stream, window)) pages.push(page);
  return pages;
}

/** Reads all pages of a stream of ERP records and returns the records. */
export async function readRecords<S extends StreamName>(
  session: Session,
  stream: S,
  window: Window = {},
): Promise<readonly RecordsOf[S][]> {
  return (await readPages(session, stream, window)).flatMap(({ records }) => records);
}

/** Reads all record ids of an ERP stream, sorted as text. */
export async function readIds(session: Session, stream: StreamName): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const page of session.ids(stream)) ids.push(...page.ids);
  return ids.toSorted();
}
