/** The form of an interceptor, for a new one and for changes. */
import { html } from 'hono/html';
import type { FieldViolation } from '../../../core/errors.ts';
import { FALLBACKS, TRIGGER_POINTS } from '../../../core/stored-words.ts';
import {
  TIMEOUT_MS,
  type InterceptorInput,
  type InterceptorView,
} from '../../../interceptors/interceptor-rules.ts';
import type { Posted } from '../../access/posted-forms.ts';
import { card } from '../../components/card.ts';
import { buttons, check, field, form, problems, type Typed } from '../../components/form.ts';
import type { DashboardContext } from '../../frame/dashboard-context.ts';
import type { Page } from '../../frame/layout.ts';
import { interceptors as words } from '../../words/interceptors.ts';
import { interceptorPath, INTERCEPTORS } from './interceptor-parts.ts';

/** The values of a new form. */
export const NEW_INTERCEPTOR: Typed = {
  timeout_ms: String(TIMEOUT_MS.default),
  fallback: 'block',
  enabled: 'true',
};

/** The values of a stored interceptor. */
export function interceptorValues(stored: InterceptorView): Typed {
  const { name, trigger_point, endpoint, timeout_ms, fallback } = stored;
  return { name, trigger_point, endpoint, timeout_ms: String(timeout_ms), fallback };
}

/**
 * Reads the form. The service's rules check the values. A number that cannot be read becomes one that they refuse.
 */
export function readInterceptor(posted: Posted): InterceptorInput {
  const timeout = posted.text('timeout_ms');
  return {
    name: posted.text('name'),
    trigger_point: posted.text('trigger_point'),
    endpoint: posted.text('endpoint'),
    timeout_ms: /^\d{1,9}$/.test(timeout) ? Number(timeout) : Number.NaN,
    fallback: posted.text('fallback'),
  };
}

/** @param stored of a change; `undefined` for a new one */
export function interceptorForm(
  c: DashboardContext,
  stored: InterceptorView | undefined,
  values: Typed,
  violations: readonly FieldViolation[] = [],
): Page {
  const { form: texts } = words;
  const path = stored === undefined ? INTERCEPTORS : interceptorPath(stored);
  const labels = {
    name: texts.name,
    trigger_point: texts.trigger,
    endpoint: texts.endpoint,
    timeout_ms: texts.timeout,
    fallback: texts.fallback,
  };
  const triggers = TRIGGER_POINTS.map((value) => ({ value, label: `${words.triggers[value]} (${value})` }));
  const fallbacks = FALLBACKS.map((value) => ({ value, label: words.fallbacks[value] }));
  const value = (name: string) => values[name] ?? '';
  return {
    title: stored === undefined ? texts.add : texts.change(stored.name),
    ...(stored !== undefined && { crumbs: [{ label: stored.name, href: path }] }),
    hasProblems: violations.length > 0,
    content: html`${problems(violations, labels)}
    ${card({
      id: 'form',
      kind: 'narrow',
      title: texts.heading,
      content: form(
        c,
        stored === undefined ? `${INTERCEPTORS}/new` : `${path}/edit`,
        html`${field({ name: 'name', label: texts.name, hint: texts.nameHint, input: { kind: 'text', maxLength: 200 }, value: value('name') }, violations)}
        ${field({ name: 'trigger_point', label: texts.trigger, input: { kind: 'select', choices: triggers }, value: value('trigger_point') }, violations)}
        ${field({ name: 'endpoint', label: texts.endpoint, hint: texts.endpointHint, input: { kind: 'url', maxLength: 2_048 }, value: value('endpoint') }, violations)}
        ${field({ name: 'timeout_ms', label: texts.timeout, hint: texts.timeoutHint, type: 'ms', input: { kind: 'number' }, value: value('timeout_ms') }, violations)}
        ${field({ name: 'fallback', label: texts.fallback, input: { kind: 'select', choices: fallbacks }, value: value('fallback') }, violations)}
        ${stored === undefined ? check({ name: 'enabled', label: texts.enabledNow, isTicked: values['enabled'] === 'true' }) : ''}
        ${buttons(stored === undefined ? texts.create : texts.save, { cancel: { href: path, label: texts.cancel } })}`,
      ),
    })}`,
  };
}
