import type { Schemas } from '@invoicecontrol/client/browser';
import { useState } from 'react';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { FormDialog } from '../../controls/form-dialog.js';
import { Page } from '../../controls/page.js';
import { client } from '../../client.js';
import { formatMoment } from '../../format/moment.js';
import { showInvisible } from '../../format/visible-text.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { COMPANIES, useCompanies } from './queries.js';
import { RowActs } from './row-acts.js';
import { texts as all } from './texts.js';

const texts = all.companies;
type Company = Schemas['Company'];
/** Pages show the names of companies by what is known of the caller, so that is read again, too. */
const refreshes = [COMPANIES, 'me'];

export default function CompaniesPage() {
  return (
    <Page title={texts.title} right={rights.readAdministration} intro={texts.intro}>
      <CompanyList />
    </Page>
  );
}

function CompanyList() {
  const mayChange = may(useCaller(), rights.administer);
  const [isCreating, setCreating] = useState(false);
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
        list={useCompanies()}
        empty={texts.empty}
        columns={mayChange ? [...columns, acts] : columns}
        keyOf={({ id }) => id}
      />
      {isCreating && <CompanyForm onClose={() => setCreating(false)} />}
    </>
  );
}

/**
 * Asks for what is known of a company.
 * @param company the company to change, or undefined for a new one
 */
function CompanyForm({ company, onClose }: { readonly company?: Company; readonly onClose: () => void }) {
  return (
    <FormDialog
      title={company === undefined ? texts.create : texts.changeTitle}
      submit={all.save}
      fields={{
        name: { label: all.name, kind: 'text', value: company?.name ?? '' },
        taxId: { label: texts.taxId, kind: 'text', value: company?.taxId ?? '', isRequired: false },
        country: {
          label: texts.country,
          help: texts.countryHelp,
          kind: 'text',
          value: company?.country ?? '',
          isRequired: false,
        },
        isDefault: {
          label: texts.isDefault,
          help: texts.defaultHelp,
          kind: 'choice',
          value: company?.isDefault === true ? 'yes' : 'no',
          options: [
            ['no', texts.no],
            ['yes', texts.yes],
          ],
        },
      }}
      act={({ name, taxId, country, isDefault }) => {
        const body = {
          name,
          ...(taxId === '' ? {} : { tax_id: taxId }),
          ...(country === '' ? {} : { country: country.toUpperCase() }),
          ...(isDefault === 'yes' ? { is_default: true } : {}),
        };
        return company === undefined
          ? client.post('/companies', { body })
          : client.patch('/companies/{companyId}', { path: { companyId: company.id }, body });
      }}
      refreshes={refreshes}
      onClose={onClose}
    />
  );
}

const columns: readonly Column<Company>[] = [
  [all.name, ({ name }) => <ForeignText>{name}</ForeignText>],
  [texts.taxId, ({ taxId }) => taxId ?? '–'],
  [texts.country, ({ country }) => country ?? '–'],
  [texts.isDefault, ({ isDefault }) => (isDefault ? texts.yes : texts.no)],
  [all.created, ({ createdAt }) => formatMoment(createdAt)],
];

const acts: Column<Company> = [
  all.acts,
  (company) => (
    <RowActs
      item={company}
      name={showInvisible(company.name)}
      acts={[
        { text: all.change, dialog: (item, onClose) => <CompanyForm company={item} onClose={onClose} /> },
        {
          text: all.remove,
          dialog: ({ id: companyId, name }, onClose) => (
            <FormDialog
              title={texts.removeTitle(showInvisible(name))}
              text={<p>{texts.removeText}</p>}
              submit={all.remove}
              fields={{}}
              act={() => client.delete('/companies/{companyId}', { path: { companyId } })}
              refreshes={refreshes}
              onClose={onClose}
            />
          ),
        },
      ]}
    />
  ),
];
