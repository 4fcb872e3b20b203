/** Bodies of interceptor requests: context and data of each trigger point (docs/contract.md#what-an-interceptor-is-asked). Pure. */
import { toTimestamp } from '../core/clock.ts';
import type { Visitor } from '../core/caller.ts';
import type { Granted } from './interceptor-answer.ts';
import {
  EMAIL_CODE,
  type InvitationQuestion,
  type MachineTokenQuestion,
  type PolicyUser,
  type SessionQuestion,
  type SignupQuestion,
} from './policy.ts';
import type { ConnectionDetail } from '../store/tables/people-tables.ts';

/** The two parts of a request that differ from flow to flow. */
export interface Told {
  interceptor_context: Readonly<Record<string, unknown>>;
  data: Readonly<Record<string, unknown>>;
}

/** Makes them at the time of the call, with the changes by earlier interceptors. */
export type Tell = (now: number, before: Granted) => Told;

/** PRE_SIGNUP. */
export function tellSignup({ environmentId, user, connectionDetails, visitor }: SignupQuestion): Tell {
  return (now) => ({
    interceptor_context: {
      environment_id: environmentId,
      ...(user !== undefined && { user_id: user.id, user_email: user.email }),
      connection_details: connectionDetails.map(connectionDetail),
      ...visit(visitor),
      triggered_at: toTimestamp(now),
    },
    data: { ...(user !== undefined && { user: person(user) }) },
  });
}

/** PRE_SESSION_CREATION. */
export function tellSession(question: SessionQuestion): Tell {
  const { environmentId, user, organizationId, connectionDetails, visitor } = question;
  return (now) => ({
    interceptor_context: {
      environment_id: environmentId,
      user_id: user.id,
      user_email: user.email,
      organization_id: organizationId,
      connection_details: connectionDetails.map(connectionDetail),
      ...visit(visitor),
      triggered_at: toTimestamp(now),
    },
    data: { user: person(user) },
  });
}

/** PRE_USER_INVITATION. */
export function tellInvitation(question: InvitationQuestion): Tell {
  const { environmentId, organization, email, user, visitor } = question;
  return (now) => ({
    interceptor_context: {
      environment_id: environmentId,
      ...(user !== undefined && { user_id: user.id }),
      user_email: email,
      organization_id: organization.id,
      ...visit(visitor),
      triggered_at: toTimestamp(now),
    },
    data: { organization: { id: organization.id, name: organization.name } },
  });
}

/** Contains the scopes and claims left by the interceptors called earlier. */
export function tellMachineToken(question: MachineTokenQuestion): Tell {
  const { environmentId, clientId, organizationId, visitor } = question;
  return (now, before) => {
    const scopes = before.scopes ?? question.scopes;
    return {
      interceptor_context: {
        environment_id: environmentId,
        client_id: clientId,
        ...program(visitor),
        triggered_at: toTimestamp(now),
      },
      data: {
        m2m_token_claims: {
          client_id: clientId,
          claims: { custom_claims: before.claims, oid: organizationId, scope: scopes.join(' '), scopes },
        },
      },
    };
  };
}

function program({ userAgent }: Visitor): { user_agent: string; device_type: DeviceType } {
  return { user_agent: userAgent, device_type: deviceTypeOf(userAgent) };
}

function visit(visitor: Visitor): Record<string, string> {
  const { ip, region, city } = visitor;
  return { ...program(visitor), ip_address: ip, region, city };
}

/** Sessions of earlier versions have no id for a code by e-mail. */
function connectionDetail({ id, type, provider }: ConnectionDetail): ConnectionDetail {
  return { id: id === '' ? EMAIL_CODE.id : id, type, provider };
}

/** Copies member by member, so that no other data of a user reaches a foreign endpoint. */
function person(user: PolicyUser): PolicyUser {
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    email_verified: user.email_verified,
    created_at: user.created_at,
    updated_at: user.updated_at,
    given_name: user.given_name,
    family_name: user.family_name,
    memberships: user.memberships.map(({ organization_id, status }) => ({ organization_id, status })),
  };
}

/** As docs/contract.md#what-an-interceptor-is-asked names them. */
type DeviceType = 'Desktop' | 'Mobile' | 'Tablet' | 'Unknown';

const TABLET = /iPad|Tablet|PlayBook|Kindle|Silk\/|Android(?!.*Mobile)/;
const MOBILE = /Mobi|iPhone|iPod|Android|Windows Phone|BlackBerry|Opera Mini/;
const DESKTOP = /Windows NT|Macintosh|X11|CrOS|\(Linux|; Linux/;

/** Televisions and consoles also name the system of a desktop or phone. */
const OTHER = /\bTV\b|SmartTV|SMART-TV|AppleTV|Tizen(?!.*Mobile)|Web0S|PlayStation|Xbox|Nintendo/;

/**
 * The kind of device that a user agent names. A guess that suffices for policies about users' browsers.
 *
 * @param userAgent the header as sent; programs (`curl/8.5`, `job/1.0`) are Unknown
 */
export function deviceTypeOf(userAgent: string): DeviceType {
  if (!/^(?:Mozilla|Opera)\//.test(userAgent) || OTHER.test(userAgent)) return 'Unknown';
  if (TABLET.test(userAgent)) return 'Tablet';
  if (MOBILE.test(userAgent)) return 'Mobile';
  return DESKTOP.test(userAgent) ? 'Desktop' : 'Unknown';
}
