import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { messagesLanguage } from './messages/messages.js';
import './theme.css';

document.documentElement.lang = messagesLanguage;
const root = document.getElementById('app');
if (root === null) throw new TypeError('The page has no element for the app.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
