import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { language } from './messages/language.js';
import './theme.css';

document.documentElement.lang = language;
const root = document.getElementById('app');
if (root === null) throw new TypeError('The page has no element for the app.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
