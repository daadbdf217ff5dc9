import { useState } from 'react';
import { Choice } from '../../controls/choice.js';
import { Dialog } from '../../controls/dialog.js';
import { RequestForm } from '../../controls/request-form.js';
import { client } from '../../client.js';
import { useCaller } from '../../session.js';
import { ERP } from './queries.js';
import { texts } from './texts.js';

const products = ['BUSINESS_CENTRAL', 'ODOO', 'QUICKBOOKS_ONLINE', 'XERO'] as const;

/** Asks for an ERP and how to reach it. Each product has its own form. */
export function ConnectDialog({ onClose }: { readonly onClose: () => void }) {
  const { companies } = useCaller();
  const [product, setProduct] = useState<(typeof products)[number]>('BUSINESS_CENTRAL');
  const { fields: labels } = texts;
  const company = {
    label: texts.company,
    kind: 'choice',
    isRequired: false,
    options: [['', texts.defaultCompany], ...companies.map(({ id, name }) => [id, name] as const)],
  } as const;
  const from = { label: texts.importFrom, help: texts.importFromHelp, kind: 'day', isRequired: false } as const;
  const form = { refreshes: [ERP], onDone: onClose, onCancel: onClose };
  /** The parts of a request that every product has. Empty texts are left out. */
  const common = (values: { readonly company: string; readonly from: string }) => ({
    ...(values.company === '' ? {} : { company_id: values.company }),
    ...(values.from === '' ? {} : { import_from: values.from }),
  });
  return (
    <Dialog title={texts.connect} onClose={onClose}>
      <Choice
        label={texts.product}
        value={product}
        onChange={(chosen) => setProduct(chosen as typeof product)}
        options={products.map((one) => [one, texts.products[one]] as const)}
      />
      {product === 'BUSINESS_CENTRAL' && (
        <RequestForm
          {...form}
          key={product}
          submit={texts.connectSubmit}
          fields={{
            tenantId: { label: labels.tenantId, kind: 'text' },
            environmentName: { label: labels.environmentName, kind: 'text', value: 'Production' },
            erpCompanyId: { label: labels.erpCompanyId, kind: 'text' },
            clientId: { label: labels.clientId, kind: 'text' },
            clientSecret: { label: labels.clientSecret, kind: 'secret' },
            company,
            from,
          }}
          act={({ tenantId, environmentName, erpCompanyId, clientId, clientSecret, ...rest }) =>
            client.post('/erp-connections', {
              body: {
                provider: 'BUSINESS_CENTRAL',
                config: { tenantId, environmentName, companyId: erpCompanyId, clientId },
                client_secret: clientSecret,
                ...common(rest),
              },
            })
          }
        />
      )}
      {product === 'ODOO' && (
        <RequestForm
          {...form}
          key={product}
          submit={texts.connectSubmit}
          fields={{
            baseUrl: { label: labels.baseUrl, kind: 'text' },
            database: { label: labels.database, kind: 'text', isRequired: false },
            login: { label: labels.login, kind: 'text', isRequired: false },
            apiKey: { label: labels.apiKey, kind: 'secret' },
            company,
            from,
          }}
          act={({ baseUrl, database, login, apiKey, ...rest }) =>
            client.post('/erp-connections', {
              body: {
                provider: 'ODOO',
                config: {
                  baseUrl,
                  ...(database === '' ? {} : { database }),
                  ...(login === '' ? {} : { login }),
                },
                api_key: apiKey,
                ...common(rest),
              },
            })
          }
        />
      )}
      {(product === 'QUICKBOOKS_ONLINE' || product === 'XERO') && (
        <>
          <p>{texts.consentText}</p>
          <RequestForm
            {...form}
            key={product}
            submit={texts.consentSubmit}
            fields={{ company }}
            act={async (values) => {
              const body = { provider: product, ...(values.company === '' ? {} : { company_id: values.company }) };
              const { data } = await client.post('/erp-connections/oauth/start', { body });
              location.assign(data.authorize_url);
            }}
          />
        </>
      )}
    </Dialog>
  );
}
