import type { Schemas } from '@invoicecontrol/client/browser';
import { useState } from 'react';
import { Button } from '../../controls/button.js';
import { Checks } from '../../controls/checks.js';
import controls from '../../controls/controls.module.css';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { FormDialog } from '../../controls/form-dialog.js';
import { Page } from '../../controls/page.js';
import { SecretOnce } from '../../controls/secret-once.js';
import { client } from '../../client.js';
import { formatMoment } from '../../format/moment.js';
import { showInvisible } from '../../format/visible-text.js';
import { useAssignees, usePeople } from '../../people.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { KEYS, roleField, useKeys } from './queries.js';
import type { Role } from './queries.js';
import { RowActs } from './row-acts.js';
import { texts as all } from './texts.js';

const texts = all.keys;
type ApiKey = Schemas['ApiKey'];
type Scope = ApiKey['scopes'][number];

const scopes = [
  'invoices:read',
  'invoices:write',
  'documents:read',
  'uploads:write',
  'scans:read',
  'scans:write',
  'findings:read',
  'findings:review',
  'findings:assign',
  'routing:write',
  'payments:read',
  'payments:write',
  'webhooks:read',
  'webhooks:write',
  'erp:read',
  'erp:write',
  'ksef:read',
  'ksef:write',
  'ksef:submit',
  'organization:read',
  'organization:write',
  'billing:write',
] as const satisfies readonly Scope[];

export default function KeysPage() {
  return (
    <Page title={texts.title} right={rights.readAdministration} intro={texts.intro}>
      <KeyList />
    </Page>
  );
}

function KeyList() {
  const mayChange = may(useCaller(), rights.administer);
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      {mayChange && (
        <div className={controls['toolbar']}>
          <Button variant="primary" onPress={() => setCreating(true)}>
            {texts.create}
          </Button>
        </div>
      )}
      <DataTable
        title={texts.title}
        hidesTitle
        list={useKeys()}
        empty={texts.empty}
        columns={mayChange ? [...columns, acts] : columns}
        keyOf={({ id }) => id}
      />
      {isCreating && <Creation onCreated={setSecret} onClose={() => setCreating(false)} />}
      {secret !== undefined && (
        <SecretOnce
          title={texts.secretTitle}
          text={texts.secretText}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

function Creation({ onCreated, onClose }: { readonly onCreated: (key: string) => void; readonly onClose: () => void }) {
  const { data: members = [] } = useAssignees();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  return (
    <FormDialog
      title={texts.create}
      submit={texts.createSubmit}
      fields={{
        name: { label: all.name, kind: 'text' },
        role: roleField('ANALYST'),
        owner: {
          label: texts.owner,
          help: texts.ownerHelp,
          kind: 'choice',
          isRequired: false,
          options: [['', texts.nobody], ...members.map(({ userId, name }) => [userId, name] as const)],
        },
        expires: { label: texts.expires, help: texts.expiresHelp, kind: 'day', isRequired: false },
      }}
      act={async ({ name, role, owner, expires }) => {
        const body = {
          name,
          role: role as Role,
          ...(owner === '' ? {} : { user_id: owner }),
          ...(expires === '' ? {} : { expires_at: new Date(`${expires}T00:00:00`).toISOString() }),
          ...(chosen.length === 0 ? {} : { scopes: chosen as Scope[] }),
        };
        onCreated((await client.post('/api-keys', { body })).data.key);
      }}
      refreshes={[KEYS]}
      onClose={onClose}
    >
      <Scopes chosen={chosen} onChange={setChosen} />
      <p className={controls['help']}>{texts.scopesHelp}</p>
    </FormDialog>
  );
}

function Scopes({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  return (
    <Checks
      label={texts.scopes}
      options={scopes.map((scope) => [scope, scope] as const)}
      chosen={chosen}
      onChange={onChange}
    />
  );
}

function Change({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const before = apiKey.scopes.includes('*') ? scopes : apiKey.scopes;
  const [chosen, setChosen] = useState<readonly string[]>(before);
  return (
    <FormDialog
      title={texts.changeTitle}
      submit={all.save}
      fields={{ name: { label: all.name, kind: 'text', value: apiKey.name }, role: roleField(apiKey.role) }}
      act={({ name, role }) => {
        const scopesChanged = chosen !== before && chosen.length > 0 ? { scopes: chosen as Scope[] } : {};
        const path = { apiKeyId: apiKey.id };
        return client.patch('/api-keys/{apiKeyId}', { path, body: { name, role: role as Role, ...scopesChanged } });
      }}
      refreshes={[KEYS]}
      onClose={onClose}
    >
      <Scopes chosen={chosen} onChange={setChosen} />
    </FormDialog>
  );
}

function Owner({ userId }: { readonly userId: string | undefined }) {
  const { nameOf } = usePeople();
  return userId === undefined ? '–' : nameOf(`USER:${userId}`);
}

const columns: readonly Column<ApiKey>[] = [
  [
    all.name,
    ({ id, name }) => (
      <>
        <ForeignText>{name}</ForeignText> <code>{id}</code>
      </>
    ),
  ],
  [all.role, ({ role }) => role],
  [texts.kind, ({ test }) => (test ? texts.test : texts.live)],
  [texts.owner, ({ userId }) => <Owner userId={userId} />],
  [texts.scopes, ({ scopes: granted }) => (granted.includes('*') ? texts.allScopes : granted.join(', '))],
  [texts.expires, ({ expiresAt }) => (expiresAt === null ? texts.never : formatMoment(expiresAt))],
  [texts.used, ({ lastUsedAt }) => (lastUsedAt === null ? texts.notUsed : formatMoment(lastUsedAt))],
];

const acts: Column<ApiKey> = [
  all.acts,
  (apiKey) => (
    <RowActs
      item={apiKey}
      name={showInvisible(apiKey.name)}
      acts={[
        { text: all.change, dialog: (item, onClose) => <Change apiKey={item} onClose={onClose} /> },
        {
          text: texts.revoke,
          dialog: ({ id: apiKeyId, name }, onClose) => (
            <FormDialog
              title={texts.revokeTitle(showInvisible(name))}
              text={<p>{texts.revokeText}</p>}
              submit={texts.revoke}
              fields={{}}
              act={() => client.delete('/api-keys/{apiKeyId}', { path: { apiKeyId } })}
              refreshes={[KEYS]}
              onClose={onClose}
            />
          ),
        },
      ]}
    />
  ),
];
