import { useState } from 'react';
import { useLocation } from 'wouter';
import { ActButton } from '../../controls/act-button.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { Facts } from '../../controls/facts.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { FormDialog } from '../../controls/form-dialog.js';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { Tag } from '../../controls/tag.js';
import { client } from '../../client.js';
import { formatDay, formatMoment } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { ErpTag } from './erp-tag.js';
import { ERP, useErpConnection, useErpRuns } from './queries.js';
import type { ErpConnection, ErpRun } from './queries.js';
import { texts } from './texts.js';

export default function ErpConnectionPage({ connectionId }: { readonly connectionId: string }) {
  return (
    <Page title={texts.connection} right={rights.readErp} back={{ to: '/erp', text: texts.back }}>
      <LoadedConnection connectionId={connectionId} />
    </Page>
  );
}

function LoadedConnection({ connectionId }: { readonly connectionId: string }) {
  const mayWrite = may(useCaller(), rights.writeErp);
  return (
    <Loaded query={useErpConnection(connectionId)}>
      {(connection) => (
        <>
          <ConnectionFacts connection={connection} />
          {mayWrite && <ConnectionActs connection={connection} />}
          <Runs connection={connection} />
        </>
      )}
    </Loaded>
  );
}

function ConnectionFacts({ connection }: { readonly connection: ErpConnection }) {
  const { companies } = useCaller();
  const { product, companyId, importFrom, lastSyncAt, lastSuccessAt, nextSyncAt, lastErrorMessage } = connection;
  const at = (moment: string | null) => (moment === null ? undefined : formatMoment(moment));
  return (
    <>
      <Facts
        facts={{
          [texts.product]: texts.products[product],
          [texts.company]: companies.find(({ id }) => id === companyId)?.name,
          [texts.status]: <ErpTag connection={connection} />,
          [texts.importFrom]: importFrom === null ? undefined : formatDay(importFrom),
          [texts.lastSync]: at(lastSyncAt),
          [texts.lastSuccess]: at(lastSuccessAt),
          [texts.nextSync]: at(nextSyncAt),
          [texts.created]: formatMoment(connection.createdAt),
        }}
      />
      {lastErrorMessage !== null && (
        <section className={controls['notice']}>
          <h2>{texts.error}</h2>
          <p>
            <ForeignText>{lastErrorMessage}</ForeignText>
          </p>
        </section>
      )}
    </>
  );
}

/** The name that the request for a new credential gives it, by product. Other products renew it by consent. */
const secretOf = { BUSINESS_CENTRAL: 'client_secret', ODOO: 'api_key' } as const;

function ConnectionActs({ connection: { id, product, isPaused } }: { readonly connection: ErpConnection }) {
  const [asked, setAsked] = useState<'SECRET' | 'REMOVE'>();
  const [, navigate] = useLocation();
  const path = { connectionId: id };
  const secret = product === 'BUSINESS_CENTRAL' || product === 'ODOO' ? secretOf[product] : undefined;
  const dialog = { refreshes: [ERP], onClose: () => setAsked(undefined) };
  const run = (mode: 'INCREMENTAL' | 'FULL') => async (): Promise<string> => {
    await client.post('/erp-connections/{connectionId}/sync', { path, body: { mode } });
    return texts.started;
  };
  return (
    <div className={controls['toolbar']}>
      <ActButton
        refreshes={[ERP]}
        act={async () => {
          const { data } = await client.post('/erp-connections/{connectionId}/test', { path });
          return data.errorMessage ?? texts.tested;
        }}
      >
        {texts.test}
      </ActButton>
      <ActButton refreshes={[ERP]} act={run('INCREMENTAL')}>
        {texts.run}
      </ActButton>
      <ActButton refreshes={[ERP]} act={run('FULL')}>
        {texts.fullRun}
      </ActButton>
      <ActButton
        refreshes={[ERP]}
        act={async () => {
          await client.patch('/erp-connections/{connectionId}', { path, body: { paused: !isPaused } });
          return isPaused ? texts.resumed : texts.paused;
        }}
      >
        {isPaused ? texts.resume : texts.pause}
      </ActButton>
      {secret !== undefined && <Button onPress={() => setAsked('SECRET')}>{texts.secret}</Button>}
      <Button onPress={() => setAsked('REMOVE')}>{texts.remove}</Button>
      {asked === 'SECRET' && secret !== undefined && (
        <FormDialog
          {...dialog}
          title={texts.secret}
          submit={texts.save}
          fields={{
            value: { label: product === 'ODOO' ? texts.fields.apiKey : texts.fields.clientSecret, kind: 'secret' },
          }}
          act={({ value }) => client.patch('/erp-connections/{connectionId}', { path, body: { [secret]: value } })}
        />
      )}
      {asked === 'REMOVE' && (
        <FormDialog
          {...dialog}
          title={texts.removeTitle}
          text={<p>{texts.removeText}</p>}
          submit={texts.remove}
          fields={{}}
          act={async () => {
            await client.delete('/erp-connections/{connectionId}', { path });
            navigate('/erp');
          }}
        />
      )}
    </div>
  );
}

function Runs({ connection: { id, recentRuns } }: { readonly connection: ErpConnection }) {
  const [latest] = recentRuns;
  // The list is read again when the newest run begins or ends.
  const list = useErpRuns(id, latest === undefined ? undefined : `${latest.id} ${latest.status}`);
  return <DataTable title={texts.runs} list={list} empty={texts.noRuns} columns={columns} keyOf={(run) => run.id} />;
}

const tones = { RUNNING: 'open', SUCCEEDED: 'good', PARTIAL: 'open', FAILED: 'bad', CANCELED: 'quiet' } as const;

const columns: readonly Column<ErpRun>[] = [
  [texts.startedAt, ({ startedAt }) => formatMoment(startedAt)],
  [texts.status, ({ status }) => <Tag tone={tones[status]}>{texts.runStatuses[status]}</Tag>],
  [texts.trigger, ({ trigger }) => texts.triggers[trigger]],
  [texts.mode, ({ mode }) => texts.modes[mode]],
  [
    texts.streams,
    ({ streams }) => (
      <ul>
        {Object.entries(streams).map(([stream, { fetched, created, updated, failed }]) => (
          <li key={stream}>{texts.counts(stream, fetched, created, updated, failed)}</li>
        ))}
      </ul>
    ),
  ],
  [
    texts.errors,
    ({ errors }) =>
      errors.length === 0 ? (
        '–'
      ) : (
        <ul>
          {errors.map(({ code, message }, index) => (
            <li key={`${code} ${index}`}>
              <ForeignText>{message}</ForeignText>
            </li>
          ))}
        </ul>
      ),
  ],
  [texts.ended, ({ finishedAt }) => (finishedAt === null ? '–' : formatMoment(finishedAt))],
];
