import type { Schemas } from '@invoicecontrol/client/browser';
import { useState } from 'react';
import { ActButton } from '../../controls/act-button.js';
import { Button } from '../../controls/button.js';
import { Checks } from '../../controls/checks.js';
import controls from '../../controls/controls.module.css';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { FormDialog } from '../../controls/form-dialog.js';
import { Page } from '../../controls/page.js';
import { client } from '../../client.js';
import { reviewTexts } from '../../findings/texts.js';
import { formatMoney } from '../../format/money.js';
import { showInvisible } from '../../format/visible-text.js';
import { useAssignees, usePeople } from '../../people.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { RULES, useRules } from './queries.js';
import { RowActs } from './row-acts.js';
import { texts as all } from './texts.js';

const texts = all.rules;
type Rule = Schemas['RoutingRule'];
type Severity = Rule['match']['severities'][number];

const families = Object.entries(reviewTexts.finding.families);
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'] as const satisfies readonly Severity[];
/** Distance between the positions of new rules, which leaves room between them. */
const STEP = 10;

export default function RulesPage() {
  return (
    <Page title={texts.title} right={rights.readRules} intro={texts.intro}>
      <RuleList />
    </Page>
  );
}

function RuleList() {
  const mayWrite = may(useCaller(), rights.writeRules);
  const list = useRules();
  const [isCreating, setCreating] = useState(false);
  const rules = list.items ?? [];
  return (
    <>
      {mayWrite && (
        <div className={controls['toolbar']}>
          <Button variant="primary" onPress={() => setCreating(true)}>
            {texts.create}
          </Button>
        </div>
      )}
      <DataTable
        title={texts.title}
        hidesTitle
        list={list}
        empty={texts.empty}
        columns={mayWrite ? [...columns, actsOf(rules)] : columns}
        keyOf={({ id }) => id}
      />
      {isCreating && <RuleForm position={(rules.at(-1)?.position ?? 0) + STEP} onClose={() => setCreating(false)} />}
    </>
  );
}

/**
 * Asks for what a rule matches and to whom it assigns.
 * @param rule the rule to change, or undefined for a new one
 */
function RuleForm({
  rule,
  position,
  onClose,
}: {
  readonly rule?: Rule;
  readonly position: number;
  readonly onClose: () => void;
}) {
  const { companies } = useCaller();
  const { data: assignees = [] } = useAssignees();
  const [chosenFamilies, setFamilies] = useState<readonly string[]>(rule?.match.families ?? []);
  const [chosenSeverities, setSeverities] = useState<readonly string[]>(rule?.match.severities ?? []);
  return (
    <FormDialog
      title={rule === undefined ? texts.create : texts.changeTitle}
      submit={all.save}
      fields={{
        name: { label: all.name, kind: 'text', value: rule?.name ?? '' },
        assignTo: {
          label: texts.assignTo,
          kind: 'choice',
          value: rule?.assignTo ?? '',
          options: [['', '–'], ...assignees.map(({ userId, name }) => [userId, name] as const)],
        },
        company: {
          label: texts.company,
          kind: 'choice',
          isRequired: false,
          value: rule?.match.companyIds[0] ?? '',
          options: [['', texts.anyCompany], ...companies.map(({ id, name }) => [id, name] as const)],
        },
        minAmount: {
          label: texts.minAmount,
          help: texts.minAmountHelp,
          kind: 'text',
          isRequired: false,
          value: rule?.match.minAmount ?? '',
        },
        currency: { label: texts.currency, kind: 'text', isRequired: false, value: rule?.match.currency ?? '' },
      }}
      act={({ name, assignTo, company, minAmount, currency }) => {
        const match = {
          ...(rule === undefined ? {} : { types: rule.match.types, supplier_ids: rule.match.supplierIds }),
          families: [...chosenFamilies],
          severities: severities.filter((one) => chosenSeverities.includes(one)),
          ...(company === '' ? {} : { company_ids: [company] }),
          ...(minAmount === '' ? {} : { min_amount: minAmount, currency: currency.toUpperCase() }),
        };
        return rule === undefined
          ? client.post('/finding-routing-rules', { body: { name, position, match, assign_to: assignTo } })
          : client.patch('/finding-routing-rules/{ruleId}', {
              path: { ruleId: rule.id },
              body: { name, match, assign_to: assignTo },
            });
      }}
      refreshes={[RULES]}
      onClose={onClose}
    >
      <Checks label={texts.families} options={families} chosen={chosenFamilies} onChange={setFamilies} />
      <Checks
        label={texts.severities}
        options={severities.map((one) => [one, reviewTexts.finding.severities[one]] as const)}
        chosen={chosenSeverities}
        onChange={setSeverities}
      />
    </FormDialog>
  );
}

function Matches({ match }: Pick<Rule, 'match'>) {
  const { companies } = useCaller();
  const names: Readonly<Record<string, string>> = reviewTexts.finding.families;
  const parts = [
    ...match.types,
    ...match.families.map((family) => names[family] ?? family),
    ...match.severities.map((severity) => reviewTexts.finding.severities[severity]),
    ...match.companyIds.map((companyId) => companies.find(({ id }) => id === companyId)?.name ?? companyId),
    ...(match.supplierIds.length === 0 ? [] : [texts.suppliers(match.supplierIds.length)]),
    ...(match.minAmount === null ? [] : [texts.from(formatMoney(match.minAmount, match.currency ?? ''))]),
  ];
  return parts.length === 0 ? texts.everything : <ForeignText>{parts.join(', ')}</ForeignText>;
}

function Assignee({ userId }: { readonly userId: string }) {
  const { nameOf } = usePeople();
  return nameOf(`USER:${userId}`);
}

const columns: readonly Column<Rule>[] = [
  [all.name, ({ name }) => <ForeignText>{name}</ForeignText>],
  [texts.matches, ({ match }) => <Matches match={match} />],
  [texts.assignTo, ({ assignTo }) => <Assignee userId={assignTo} />],
  [texts.enabled, ({ enabled }) => (enabled ? texts.on : texts.off)],
];

function actsOf(rules: readonly Rule[]): Column<Rule> {
  const place = (ruleId: string, position: number) =>
    client.patch('/finding-routing-rules/{ruleId}', { path: { ruleId }, body: { position } });
  return [
    all.acts,
    (rule) => {
      const before = rules[rules.findIndex(({ id }) => id === rule.id) - 1];
      return (
        <>
          <RowActs
            item={rule}
            name={showInvisible(rule.name)}
            acts={[
              {
                text: all.change,
                dialog: (item, onClose) => <RuleForm rule={item} position={item.position} onClose={onClose} />,
              },
              {
                text: all.remove,
                dialog: ({ id: ruleId, name }, onClose) => (
                  <FormDialog
                    title={texts.removeTitle(showInvisible(name))}
                    text={<p>{texts.removeText}</p>}
                    submit={all.remove}
                    fields={{}}
                    act={() => client.delete('/finding-routing-rules/{ruleId}', { path: { ruleId } })}
                    refreshes={[RULES]}
                    onClose={onClose}
                  />
                ),
              },
            ]}
          />
          <ActButton
            refreshes={[RULES]}
            act={async () => {
              const path = { ruleId: rule.id };
              await client.patch('/finding-routing-rules/{ruleId}', { path, body: { enabled: !rule.enabled } });
              return undefined;
            }}
          >
            {rule.enabled ? texts.turnOff : texts.turnOn}
          </ActButton>
          {before !== undefined && (
            <ActButton
              refreshes={[RULES]}
              act={async () => {
                await place(rule.id, before.position);
                await place(before.id, rule.position);
                return texts.moved;
              }}
            >
              {texts.up}
            </ActButton>
          )}
        </>
      );
    },
  ];
}
