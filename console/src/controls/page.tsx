import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Forbidden } from '../pages/forbidden.js';
import { may } from '../rights.js';
import type { Right } from '../rights.js';
import { useCaller } from '../session.js';
import { PageTitle } from './page-title.js';
import controls from './controls.module.css';

interface Props {
  readonly title: string;
  /** The right without which the page explains itself in place of its content. */
  readonly right: Right;
  readonly intro?: string;
  readonly back?: { readonly to: string; readonly text: string };
  readonly children: ReactNode;
}

/** The frame of a page of the console: the right it requires, the way back, its heading and its content. */
export function Page({ title, right, intro, back, children }: Props) {
  if (!may(useCaller(), right)) return <Forbidden right={right} />;
  return (
    <>
      {back !== undefined && (
        <p>
          <Link to={back.to}>{back.text}</Link>
        </p>
      )}
      <PageTitle>{title}</PageTitle>
      {intro !== undefined && <p className={controls['help']}>{intro}</p>}
      {children}
    </>
  );
}
