import { useState } from 'react';
import controls from '../../controls/controls.module.css';
import { PageTitle } from '../../controls/page-title.js';
import { RequestForm } from '../../controls/request-form.js';
import { SecretOnce } from '../../controls/secret-once.js';
import { client } from '../../client.js';
import { texts } from './texts.js';

/** Restores a deleted organization. Nobody can be signed in to it, because its deletion has revoked all keys. */
export default function RestorePage() {
  const [ownerKey, setOwnerKey] = useState<string>();
  return (
    <main className={controls['alone']}>
      <PageTitle>{texts.title}</PageTitle>
      <p>{texts.intro}</p>
      <RequestForm
        submit={texts.submit}
        fields={{ token: { label: texts.token, kind: 'secret' } }}
        act={async ({ token }) => {
          const { data } = await client.post('/organizations/current/restore', { body: { recovery_token: token } });
          setOwnerKey(data.ownerKey);
        }}
        refreshes={[]}
        onDone={() => undefined}
      />
      <p>
        <a href="/app">{texts.back}</a>
      </p>
      {ownerKey !== undefined && (
        <SecretOnce
          title={texts.keyTitle}
          text={texts.keyText}
          secret={ownerKey}
          onClose={() => location.assign('/app')}
        />
      )}
    </main>
  );
}
