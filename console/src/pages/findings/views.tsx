import { useState } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { client } from '../../client.js';
import { ActButton } from '../../controls/act-button.js';
import { Button } from '../../controls/button.js';
import { Choice } from '../../controls/choice.js';
import { FormDialog } from '../../controls/form-dialog.js';
import { reviewTexts } from '../../findings/texts.js';
import { showInvisible } from '../../format/visible-text.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { useViews, VIEWS } from './queries.js';
import type { View } from './queries.js';
import styles from './findings.module.css';
import { NO_VIEW, queryOf, sameFilters } from './view-query.js';

const texts = reviewTexts.views;

/**
 * The saved views of the list of findings. A view is a name for the filters in the address, so that a view that a person
 * changed is still shown as changed after a reload. Without any filter in the address, the default view is opened.
 */
export function Views() {
  const search = useSearch();
  const { data: views } = useViews();
  const [, navigate] = useLocation();
  if (views === undefined) return null;
  const standard = views.find(({ isDefault }) => isDefault);
  if (search === '' && standard !== undefined) return <Redirect to={addressOf(standard)} replace />;
  const { view: chosenId, query } = queryOf(search);
  const chosen = views.find(({ id }) => id === chosenId);
  const isChanged = chosen !== undefined && !sameFilters(chosen.query, query);
  return (
    <div className={styles['views']}>
      <Choice
        label={texts.label}
        value={chosen?.id ?? NO_VIEW}
        onChange={(id) => {
          const view = views.find((one) => one.id === id);
          navigate(view === undefined ? `/findings?view=${NO_VIEW}` : addressOf(view));
        }}
        options={[
          [NO_VIEW, texts.none],
          ...views.map((view) => {
            const name = showInvisible(view.name);
            return [view.id, view.isShared ? texts.shared(name) : name] as const;
          }),
        ]}
      />
      {isChanged && <p role="status">{texts.changed}</p>}
      <ViewActs chosen={chosen} isChanged={isChanged} query={query} />
    </div>
  );
}

function addressOf({ id, query }: View): string {
  return `/findings?view=${id}${query === '' ? '' : `&${query}`}`;
}

interface ActsProps {
  readonly chosen: View | undefined;
  readonly isChanged: boolean;
  /** The filters in the address, as a view stores them. */
  readonly query: string;
}

/** What a person may do with the views: everybody with their own, and an administrator with those that all share. */
function ViewActs({ chosen, isChanged, query }: ActsProps) {
  const caller = useCaller();
  const mayShare = may(caller, rights.shareViews);
  const hasOwn = caller.user !== null;
  const [, navigate] = useLocation();
  const [isSaving, setSaving] = useState(false);
  const mayChange = chosen !== undefined && (chosen.isShared ? mayShare : hasOwn);
  return (
    <>
      {mayChange && isChanged && (
        <ActButton
          refreshes={[VIEWS]}
          act={async () => {
            await client.patch('/views/{viewId}', { path: { viewId: chosen.id }, body: { query } });
            return texts.saved;
          }}
        >
          {texts.save}
        </ActButton>
      )}
      {(hasOwn || mayShare) && <Button onPress={() => setSaving(true)}>{texts.saveAs}</Button>}
      {mayChange && (
        <ActButton
          refreshes={[VIEWS]}
          act={async () => {
            await client.delete('/views/{viewId}', { path: { viewId: chosen.id } });
            navigate(`/findings?view=${NO_VIEW}`);
            return undefined;
          }}
        >
          {texts.remove}
        </ActButton>
      )}
      {isSaving && (
        <FormDialog
          title={texts.saveAs}
          text={<p>{texts.saveAsText}</p>}
          submit={texts.save}
          fields={{
            name: { label: texts.name, kind: 'text' },
            who: {
              label: texts.who,
              kind: 'choice',
              value: hasOwn ? 'me' : 'all',
              options: [
                ...(hasOwn ? ([['me', texts.forMe]] as const) : []),
                ...(mayShare ? ([['all', texts.forAll]] as const) : []),
              ],
            },
            standard: {
              label: texts.standard,
              kind: 'choice',
              value: 'no',
              options: [
                ['no', texts.no],
                ['yes', texts.yes],
              ],
            },
          }}
          refreshes={[VIEWS]}
          act={async ({ name, who, standard }) => {
            const body = { name, query, is_shared: who === 'all', is_default: standard === 'yes' };
            navigate(addressOf((await client.post('/views', { body })).data));
          }}
          onClose={() => setSaving(false)}
        />
      )}
    </>
  );
}
