/** The connector video as a whole: how it is authorized, what its tools need, and what is the same for all of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { oauthEntry } from '../support/auth-entries.ts';
import { authorizationUrl } from '../../src/credentials/oauth/authorization-url.ts';
import { lackingScopes } from '../../src/catalog/model/scope-groups.ts';
import { isRefusal } from '../../src/executor/call/active-account-guard.ts';
import { AnswerReader } from '../../src/outbound/answer-reader.ts';
import { shippedCatalog, shippedTool } from './tool-request.ts';

const connector = shippedCatalog.connectors.get('video')!;
const videoTools = [...shippedCatalog.tools.values()].filter((tool) => tool.connector === 'video');

describe('connector video', () => {
  const { auth, ...video } = connector;

  it('describes YouTube with its three hosts, needs an app of the operator, and names its errors', () => {
    const { result: _, ...described } = video;
    expect(described).toEqual({
      name: 'video',
      title: 'YouTube',
      description:
        'Searches, reads and manages videos, playlists, comments, subscriptions and analytics of YouTube channels.',
      hosts: [
        {
          url: 'https://www.googleapis.com',
          placeholders: {},
          path_prefixes: ['/youtube', '/upload/youtube', '/resumable/upload/youtube'],
        },
        { url: 'https://youtubeanalytics.googleapis.com', placeholders: {}, path_prefixes: ['/v2'] },
        { url: 'https://youtubereporting.googleapis.com', placeholders: {}, path_prefixes: ['/v1'] },
      ],
      errors: {
        message: ['error.message'],
        code: ['error.errors.0.reason', 'error.details.0.reason', 'error.details.1.reason', 'error.status'],
        reconnect: [401],
        reconnect_except: ['youtubeSignupRequired', 'NoLinkedYouTubeAccount'],
        conflicts: ['subscriptionDuplicate'],
        missing_scope: {
          statuses: [403],
          codes: ['insufficientPermissions', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'],
          except: [],
        },
        advice: expect.any(Array) as unknown,
      },
      limits: {},
      prompts: expect.any(Array) as unknown,
      search_words: expect.any(Object) as unknown,
      needsNoOperator: false,
    });
  });

  it('uses the OAuth of Google with refresh tokens and revocation of the whole grant', () => {
    expect(auth.map((entry) => ({ ...entry, scopes: undefined }))).toEqual([
      {
        type: 'OAUTH',
        fields: [],
        oauth: {
          authorization_url: 'https://accounts.google.com/o/oauth2/v2/auth',
          token_url: 'https://oauth2.googleapis.com/token',
          revocation_url: 'https://oauth2.googleapis.com/revoke',
          pkce: true,
          authorize_parameters: {
            access_type: 'offline',
            prompt: 'consent select_account',
            include_granted_scopes: 'true',
          },
          scope_parameter: true,
          scope_separator: ' ',
          scope_names: {
            'video.readonly': 'https://www.googleapis.com/auth/youtube.readonly',
            video: 'https://www.googleapis.com/auth/youtube',
            'video.force-ssl': 'https://www.googleapis.com/auth/youtube.force-ssl',
            'video-analytics.readonly': 'https://www.googleapis.com/auth/yt-analytics.readonly',
          },
          client_authentication: 'post',
          refresh_tokens: true,
          revocation: 'grant',
        },
        who: {
          host: 0,
          path: '/youtube/v3/channels',
          headers: {},
          query: { part: 'snippet', mine: 'true' },
          name: ['items.0.snippet.title'],
        },
      },
    ]);
  });

  it('has these four scopes, and explains what each allows', () => {
    expect(Object.keys(auth[0]!.scopes!)).toEqual([
      'video.readonly',
      'video',
      'video.force-ssl',
      'video-analytics.readonly',
    ]);
    for (const meaning of Object.values(auth[0]!.scopes!)) expect(meaning).toMatch(/^See[ ,].*\.$/);
  });

  it('asks Google for the scopes under its own names', () => {
    const { oauth } = oauthEntry(connector);
    const url = new URL(
      authorizationUrl(oauth.authorization_url, oauth, {
        clientId: 'client',
        redirectUri: 'https://gate.example.test/callback',
        state: 'state',
        scopes: ['video.readonly', 'video-analytics.readonly'],
        verifier: 'verifier',
      }),
    );
    expect(url.origin + url.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      access_type: 'offline',
      prompt: 'consent select_account',
      include_granted_scopes: 'true',
      scope:
        'https://www.googleapis.com/auth/youtube.readonly https://www.googleapis.com/auth/yt-analytics.readonly',
      code_challenge_method: 'S256',
    });
  });
});

const READ = 'video.readonly';
const WRITE = 'video';
const FORCE = 'video.force-ssl';
const ANALYTICS = 'video-analytics.readonly';

/** What a link asks for without any scope, and every set of one or two scopes that is enough. */
const SCOPES: [string, string[], string[][]][] = [
  [
    'video_analytics_audience',
    [ANALYTICS, READ],
    [
      [ANALYTICS, READ],
      [ANALYTICS, WRITE],
    ],
  ],
  ['video_analytics_group_create', [WRITE], [[WRITE]]],
  ['video_analytics_group_item_insert', [WRITE], [[WRITE]]],
  ['video_analytics_group_items_delete', [WRITE], [[WRITE]]],
  ['video_analytics_group_items_list', [ANALYTICS], [[ANALYTICS], [READ], [WRITE]]],
  ['video_analytics_groups_delete', [WRITE], [[WRITE]]],
  ['video_analytics_groups_list', [ANALYTICS], [[ANALYTICS], [READ], [WRITE]]],
  ['video_analytics_groups_update', [WRITE], [[WRITE]]],
  [
    'video_analytics_overview',
    [ANALYTICS, READ],
    [
      [ANALYTICS, READ],
      [ANALYTICS, WRITE],
    ],
  ],
  [
    'video_analytics_query',
    [ANALYTICS, READ],
    [
      [ANALYTICS, READ],
      [ANALYTICS, WRITE],
    ],
  ],
  [
    'video_analytics_top_videos',
    [ANALYTICS, READ],
    [
      [ANALYTICS, READ],
      [ANALYTICS, WRITE],
    ],
  ],
  [
    'video_analytics_video',
    [ANALYTICS, READ],
    [
      [ANALYTICS, READ],
      [ANALYTICS, WRITE],
    ],
  ],
  ['video_captions_download', [FORCE], [[FORCE]]],
  ['video_captions_list', [FORCE], [[FORCE]]],
  ['video_channel_sections_list', [READ], [[READ], [WRITE], [FORCE]]],
  ['video_channels_list', [READ], [[READ], [WRITE], [FORCE]]],
  ['video_channels_update', [WRITE], [[WRITE], [FORCE]]],
  ['video_comment_threads_insert', [FORCE], [[FORCE]]],
  ['video_comment_threads_list', [FORCE], [[FORCE]]],
  ['video_comments_delete', [FORCE], [[FORCE]]],
  ['video_comments_insert', [FORCE], [[FORCE]]],
  ['video_comments_list', [READ], [[READ], [FORCE]]],
  ['video_comments_set_moderation_status', [FORCE], [[FORCE]]],
  ['video_comments_update', [FORCE], [[FORCE]]],
  ['video_live_broadcasts_list', [READ], [[READ], [WRITE], [FORCE]]],
  ['video_playlist_delete', [WRITE], [[WRITE], [FORCE]]],
  ['video_playlist_insert', [WRITE], [[WRITE], [FORCE]]],
  ['video_playlist_items_delete', [WRITE], [[WRITE], [FORCE]]],
  ['video_playlist_items_insert', [WRITE], [[WRITE], [FORCE]]],
  ['video_playlist_items_list', [READ], [[READ], [WRITE], [FORCE]]],
  ['video_playlist_items_update', [WRITE], [[WRITE], [FORCE]]],
  ['video_playlist_update', [WRITE], [[WRITE], [FORCE]]],
  ['video_playlists_list', [READ], [[READ], [WRITE], [FORCE]]],
  ['video_reporting_create_job', [ANALYTICS], [[ANALYTICS]]],
  ['video_reporting_jobs_delete', [ANALYTICS], [[ANALYTICS]]],
  ['video_reporting_list_jobs', [ANALYTICS], [[ANALYTICS]]],
  ['video_reporting_list_report_types', [ANALYTICS], [[ANALYTICS]]],
  ['video_reporting_list_reports', [ANALYTICS], [[ANALYTICS]]],
  ['video_search', [READ], [[READ], [WRITE], [FORCE]]],
  ['video_subscriptions_delete', [WRITE], [[WRITE], [FORCE]]],
  ['video_subscriptions_insert', [WRITE], [[WRITE], [FORCE]]],
  ['video_subscriptions_list', [READ], [[READ], [WRITE], [FORCE]]],
  ['video_video_categories_list', [READ], [[READ], [WRITE], [FORCE]]],
  ['video_videos_delete', [WRITE], [[WRITE], [FORCE]]],
  ['video_videos_get_rating', [READ], [[READ], [WRITE], [FORCE]]],
  ['video_videos_list', [READ], [[READ], [WRITE], [FORCE]]],
  ['video_videos_rate', [WRITE], [[WRITE], [FORCE]]],
  ['video_videos_update', [WRITE], [[WRITE], [FORCE]]],
];

describe('video tools: scopes', () => {
  it('have a row in this table for each tool', () => {
    expect(SCOPES.map(([name]) => name)).toEqual(videoTools.map(({ name }) => name));
  });

  it.each(SCOPES)('%s asks for %j and accepts any of %j', (name, asked, enough) => {
    const tool = shippedTool(name);
    expect(lackingScopes(tool, [])).toEqual(asked);
    const every = [READ, WRITE, FORCE, ANALYTICS];
    const alone = every.filter((scope) => lackingScopes(tool, [scope]).length === 0);
    expect(alone.toSorted()).toEqual(enough.flatMap((set) => (set.length === 1 ? set : [])).toSorted());
    for (const set of enough) expect(lackingScopes(tool, set)).toEqual([]);
  });
});

describe('video tools: defaults', () => {
  it('equal this table, parameter by parameter', () => {
    const found = videoTools.flatMap(({ name, parameters }) =>
      Object.entries(parameters)
        .filter(([, parameter]) => parameter.default !== undefined)
        .map(([parameter, { default: value }]) => `${name} ${parameter} ${String(value)}`),
    );
    expect(found).toEqual([
      'video_analytics_overview by total',
      'video_analytics_top_videos max_results 10',
      'video_analytics_video by total',
      'video_captions_download format srt',
      'video_channels_list max_results 5',
      'video_comment_threads_list max_results 20',
      'video_comments_list max_results 20',
      'video_live_broadcasts_list max_results 5',
      'video_playlist_items_list max_results 5',
      'video_playlists_list max_results 5',
      'video_search max_results 10',
      'video_subscriptions_list max_results 5',
      'video_videos_list max_results 5',
    ]);
  });
});

describe('video tools: effects', () => {
  it('follow from the names of the tools', () => {
    const effectOf: Record<string, string> = {
      list: 'read',
      search: 'read',
      query: 'read',
      overview: 'read',
      videos: 'read',
      audience: 'read',
      video: 'read',
      download: 'read',
      rating: 'read',
      types: 'read',
      jobs: 'read',
      reports: 'read',
      create: 'create',
      insert: 'create',
      job: 'create',
      update: 'update',
      rate: 'update',
      status: 'update',
      delete: 'delete',
    };
    for (const { name, effect } of videoTools) expect(effect, name).toBe(effectOf[name.split('_').at(-1)!]);
  });

  it('mention in the description what cannot be undone, or how to undo it', () => {
    const silent = videoTools.filter(
      ({ effect, description }) =>
        effect === 'delete' &&
        !/cannot be undone|permanently|adds it again|subscribes again/.test(description),
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('mention in the description what costs more than one unit of the quota, or has few calls a day', () => {
    const special: Record<string, string> = {
      video_search: 'Only 100 calls a day',
      video_captions_list: 'Costs 50 quota units.',
      video_captions_download: 'Costs 200 quota units.',
      video_channels_update: 'Costs 51 quota units.',
      video_playlist_items_update: 'Costs 51 quota units.',
      video_playlist_update: 'Costs 51 quota units.',
      video_videos_update: 'Costs 51 quota units.',
    };
    for (const { name, effect, description, toolset } of videoTools) {
      const isFree = effect === 'read' || toolset === 'analytics' || toolset === 'reporting';
      expect(description, name).toContain(special[name] ?? (isFree ? '' : 'Costs 50 quota units.'));
    }
  });
});

describe('error answers of YouTube', () => {
  const refusal = (status: number, error: object) => {
    const reader = new AnswerReader(
      { title: connector.title, effect: 'read' },
      connector.errors,
      'exe_1',
      [],
    );
    const body = Buffer.from(JSON.stringify({ error: { code: status, message: 'Why.', ...error } }));
    try {
      return reader.read({ status, headers: {}, body }, undefined);
    } catch (failure) {
      return failure;
    }
  };
  const reason = (text: string) => ({ errors: [{ domain: 'youtube.x', reason: text, message: 'Why.' }] });

  it.each([
    [403, reason('quotaExceeded'), 'quotaExceeded', 403],
    [400, reason('subscriptionDuplicate'), 'subscriptionDuplicate', 409],
    [409, reason('videoAlreadyInPlaylist'), 'videoAlreadyInPlaylist', 409],
    [404, reason('playlistNotFound'), 'playlistNotFound', 404],
    [
      403,
      { status: 'PERMISSION_DENIED', details: [{ '@type': 'x', reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }] },
      'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
      403,
    ],
    [
      403,
      { status: 'PERMISSION_DENIED', details: [{ links: [] }, { reason: 'SERVICE_DISABLED' }] },
      'SERVICE_DISABLED',
      403,
    ],
    [400, { status: 'INVALID_ARGUMENT' }, 'INVALID_ARGUMENT', 502],
    [409, { status: 'ALREADY_EXISTS' }, 'ALREADY_EXISTS', 409],
  ])('%i %j has the code %s and becomes %i', (status, error, code, expected) => {
    expect(refusal(status, error)).toMatchObject({ status: expected, toolError: { code, message: 'Why.' } });
  });

  it('mean a refused credential only where the account has a channel', () => {
    expect(isRefusal(refusal(401, reason('authError')), connector)).toBe(true);
    expect(isRefusal(refusal(401, reason('youtubeSignupRequired')), connector)).toBe(false);
    expect(isRefusal(refusal(403, reason('insufficientPermissions')), connector)).toBe(false);
  });
});

/** Groups whose rows are refused, in the source of a test. */
const INVALID_INPUT = /describe\('[^']*: invalid input'[\s\S]*?\n}\);/g;

describe('request tables of the video tools', () => {
  it('have a valid and an invalid row for every tool', () => {
    const folder = new URL('./', import.meta.url);
    const files = readdirSync(folder).filter((file) => /^video-(?!connector).*\.test\.ts$/.test(file));
    const source = files.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n');
    const [sent, refused] = [
      source.replaceAll(INVALID_INPUT, ''),
      [...source.matchAll(INVALID_INPUT)].join('\n'),
    ];
    for (const { name } of videoTools) {
      expect(sent, name).toContain(`'${name}'`);
      expect(refused, name).toContain(`'${name}'`);
    }
  });
});
