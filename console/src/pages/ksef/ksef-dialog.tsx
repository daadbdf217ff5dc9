import type { Schemas } from '@invoicecontrol/client/browser';
import { useState } from 'react';
import { Choice } from '../../controls/choice.js';
import { Dialog } from '../../controls/dialog.js';
import { RequestForm } from '../../controls/request-form.js';
import { client } from '../../client.js';
import { useCaller } from '../../session.js';
import { KSEF } from './queries.js';
import { texts } from './texts.js';

type Environment = Schemas['KsefConnection']['environment'];
const environments = ['TEST', 'DEMO', 'PRODUCTION'] as const satisfies readonly Environment[];

/** Asks for a NIP and its credential: a token, or a certificate with its key. */
export function KsefDialog({ onClose }: { readonly onClose: () => void }) {
  const { companies } = useCaller();
  const [credential, setCredential] = useState('token');
  const form = { submit: texts.save, refreshes: [KSEF], onDone: onClose, onCancel: onClose };
  const common = {
    company: {
      label: texts.company,
      kind: 'choice',
      isRequired: false,
      options: [['', texts.defaultCompany], ...companies.map(({ id, name }) => [id, name] as const)],
    },
    environment: {
      label: texts.environment,
      kind: 'choice',
      value: 'PRODUCTION',
      options: environments.map((one) => [one, texts.environments[one]] as const),
    },
    nip: { label: texts.nip, help: texts.nipHelp, kind: 'text' },
  } as const;
  const bodyOf = (values: { readonly company: string; readonly environment: string; readonly nip: string }) => ({
    environment: values.environment as Environment,
    context_nip: values.nip,
    ...(values.company === '' ? {} : { company_id: values.company }),
  });
  return (
    <Dialog title={texts.connect} onClose={onClose}>
      <Choice
        label={texts.credential}
        value={credential}
        onChange={setCredential}
        options={[
          ['token', texts.token],
          ['certificate', texts.certificate],
        ]}
      />
      {credential === 'token' ? (
        <RequestForm
          {...form}
          key="token"
          fields={{ ...common, token: { label: texts.token, kind: 'secret' } }}
          act={(values) => client.post('/ksef-connections', { body: { ...bodyOf(values), ksef_token: values.token } })}
        />
      ) : (
        <RequestForm
          {...form}
          key="certificate"
          fields={{
            ...common,
            certificate: { label: texts.certificate, help: texts.pem, kind: 'paragraphs' },
            privateKey: { label: texts.privateKey, help: texts.pem, kind: 'paragraphs' },
            password: { label: texts.password, help: texts.passwordHelp, kind: 'secret', isRequired: false },
          }}
          act={({ certificate, privateKey, password, ...values }) =>
            client.post('/ksef-connections', {
              body: {
                ...bodyOf(values),
                certificate,
                private_key: privateKey,
                ...(password === '' ? {} : { private_key_password: password }),
              },
            })
          }
        />
      )}
    </Dialog>
  );
}
