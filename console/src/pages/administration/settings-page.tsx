import type { Schemas } from '@invoicecontrol/client/browser';
import { useState } from 'react';
import { ActButton } from '../../controls/act-button.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { Facts } from '../../controls/facts.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { FormDialog } from '../../controls/form-dialog.js';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { SecretOnce } from '../../controls/secret-once.js';
import { client } from '../../client.js';
import { formatMoment } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { ORGANIZATION, useOrganization } from './queries.js';
import { texts as all } from './texts.js';

const texts = all.settings;
type Organization = Schemas['Organization'];
const refreshes = [ORGANIZATION, 'me'];
const modes = ['OFF', 'DECLARED_PROFILES', 'ALL'] as const;

export default function SettingsPage() {
  return (
    <Page title={texts.title} right={rights.readOrganization}>
      <Settings />
    </Page>
  );
}

function Settings() {
  const caller = useCaller();
  return (
    <Loaded query={useOrganization()}>
      {(organization) => (
        <>
          <OrganizationFacts organization={organization} />
          {may(caller, rights.own) && <Changes organization={organization} />}
          {may(caller, rights.exportAll) && <Archive />}
          {may(caller, rights.own) && !organization.test && <Deletion name={organization.name} />}
        </>
      )}
    </Loaded>
  );
}

function OrganizationFacts({ organization }: { readonly organization: Organization }) {
  const { name, billingEmail, referenceValidationMode: mode, referenceValidationInForce: inForce } = organization;
  return (
    <>
      <Facts
        facts={{
          [texts.facts.name]: <ForeignText>{name}</ForeignText>,
          [texts.facts.plan]: organization.plan,
          [texts.facts.billingEmail]: billingEmail === null ? texts.none : <ForeignText>{billingEmail}</ForeignText>,
          [texts.facts.baseCurrency]: organization.baseCurrency,
          [texts.facts.mode]: texts.modes[mode],
          [texts.facts.inForce]: inForce === undefined ? undefined : texts.modes[inForce],
          [texts.facts.fourEyes]: organization.fourEyes ? texts.yes : texts.no,
          [texts.facts.created]: formatMoment(organization.createdAt),
        }}
      />
      {organization.test && <p>{texts.test}</p>}
      {organization.fourEyesRequest !== undefined && <p className={controls['notice']}>{texts.fourEyesRequest}</p>}
    </>
  );
}

type Asked = 'ORGANIZATION' | 'CURRENCY' | 'MODE';

function Changes({ organization }: { readonly organization: Organization }) {
  const [asked, setAsked] = useState<Asked>();
  const dialog = { submit: all.save, refreshes, onClose: () => setAsked(undefined) };
  return (
    <div className={controls['toolbar']}>
      <Button onPress={() => setAsked('ORGANIZATION')}>{texts.change}</Button>
      <Button onPress={() => setAsked('CURRENCY')}>{texts.currency}</Button>
      <Button onPress={() => setAsked('MODE')}>{texts.mode}</Button>
      <ActButton
        refreshes={refreshes}
        act={async () => {
          const body = { four_eyes: !organization.fourEyes };
          const { status } = await client.patch('/organizations/current', { body });
          return status === 202 ? texts.fourEyesAsked : texts.fourEyesDone;
        }}
      >
        {organization.fourEyes ? texts.fourEyesOff : texts.fourEyesOn}
      </ActButton>
      {asked === 'ORGANIZATION' && (
        <FormDialog
          {...dialog}
          title={texts.changeTitle}
          fields={{
            name: { label: texts.facts.name, kind: 'text', value: organization.name },
            email: {
              label: texts.facts.billingEmail,
              kind: 'text',
              value: organization.billingEmail ?? '',
              isRequired: false,
            },
          }}
          act={({ name, email }) => {
            const body = { name, ...(email === '' ? {} : { billing_email: email }) };
            return client.patch('/organizations/current', { body });
          }}
        />
      )}
      {asked === 'CURRENCY' && (
        <FormDialog
          {...dialog}
          title={texts.currency}
          fields={{
            currency: {
              label: texts.facts.baseCurrency,
              help: texts.currencyHelp,
              kind: 'text',
              value: organization.baseCurrency,
            },
          }}
          act={({ currency }) =>
            client.patch('/organizations/current/base-currency', { body: { base_currency: currency.toUpperCase() } })
          }
        />
      )}
      {asked === 'MODE' && (
        <FormDialog
          {...dialog}
          title={texts.mode}
          fields={{
            mode: {
              label: texts.facts.mode,
              kind: 'choice',
              value: organization.referenceValidationMode,
              options: modes.map((mode) => [mode, texts.modes[mode]] as const),
            },
          }}
          act={({ mode }) =>
            client.patch('/organizations/current/reference-validation', {
              body: { mode: mode as Organization['referenceValidationMode'] },
            })
          }
        />
      )}
    </div>
  );
}

/** Leads to the archive. The browser writes it to a file while it arrives, however large it is. */
function Archive() {
  return (
    <section>
      <h2>{texts.archive}</h2>
      <p>{texts.archiveText}</p>
      <ul>
        <li>
          <a href="/v1/organizations/current/export" download>
            {texts.archiveRecords}
          </a>
        </li>
        <li>
          <a href="/v1/organizations/current/export?include=originals" download>
            {texts.archiveAll}
          </a>
        </li>
      </ul>
    </section>
  );
}

function Deletion({ name }: { readonly name: string }) {
  const [isAsked, setAsked] = useState(false);
  const [deleted, setDeleted] = useState<Schemas['DeletedOrganization']>();
  return (
    <section>
      <h2>{texts.danger}</h2>
      <p>{texts.dangerText}</p>
      <Button onPress={() => setAsked(true)}>{texts.remove}</Button>
      {isAsked && (
        <FormDialog
          title={texts.danger}
          text={<p>{texts.dangerText}</p>}
          submit={texts.remove}
          fields={{ name: { label: texts.confirm, help: texts.confirmHelp(name), kind: 'text' } }}
          act={async (values) => {
            const { data } = await client.delete('/organizations/current', { body: { confirm_name: values.name } });
            setDeleted(data);
          }}
          refreshes={[]}
          onClose={() => setAsked(false)}
        />
      )}
      {deleted !== undefined && (
        <SecretOnce
          title={texts.recoveryTitle}
          text={texts.recoveryText(formatMoment(deleted.recoveryExpiresAt))}
          secret={deleted.recoveryToken}
          // Everything that the page shows is gone: the sign-in is shown.
          onClose={() => location.assign('/app')}
        />
      )}
    </section>
  );
}
