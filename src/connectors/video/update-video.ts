/**
 * video_videos_update: changes what is given and keeps the rest. Only the parts that are touched are written.
 *
 * @see https://developers.google.com/youtube/v3/docs/videos/update
 */
import type { JsonObject, ToolHandler } from '../../catalog/model/types.ts';
import { invalidArgument } from '../../core/errors.ts';
import { given } from '../provider-call.ts';
import { readItem, settableMembers, writeItem, type ItemTarget } from './own-item.ts';

const SNIPPET = ['title', 'categoryId', 'description', 'tags', 'defaultLanguage', 'defaultAudioLanguage'];
const STATUS = [
  'privacyStatus',
  'publishAt',
  'license',
  'embeddable',
  'publicStatsViewable',
  'selfDeclaredMadeForKids',
  'containsSyntheticMedia',
];

/** No rule of the catalog: there a false counts as not given, and here it is a change. */
const NOTHING_TO_CHANGE = {
  description:
    'Give something to change: title with category_id, privacy_status, license, embeddable or public_stats_viewable.',
  constraint: 'at_least_one_of',
};

interface VideoInput {
  video_id: string;
  title?: string;
  category_id?: string;
  description?: string;
  default_language?: string;
  tags?: readonly string[];
  privacy_status?: string;
  license?: string;
  embeddable?: boolean;
  public_stats_viewable?: boolean;
}

export const updateVideo: ToolHandler = async ({ input, http }) => {
  const video = input as unknown as VideoInput;
  const changes: Readonly<Record<'snippet' | 'status', JsonObject>> = {
    snippet: given({
      title: video.title,
      categoryId: video.category_id,
      description: video.description,
      defaultLanguage: video.default_language,
      tags: video.tags,
    }),
    status: given({
      privacyStatus: video.privacy_status,
      license: video.license,
      embeddable: video.embeddable,
      publicStatsViewable: video.public_stats_viewable,
    }),
  };
  const parts = (['snippet', 'status'] as const).filter((part) => Object.keys(changes[part]).length > 0);
  if (parts.length === 0) throw invalidArgument([{ field: '', ...NOTHING_TO_CHANGE }]);
  const target: ItemTarget = { collection: 'videos', id: video.video_id, parts };
  const present = await readItem(http, target);
  const whole = {
    snippet: { ...settableMembers(present, 'snippet', SNIPPET), ...changes.snippet },
    status: scheduled({ ...settableMembers(present, 'status', STATUS), ...changes.status }),
  };
  return writeItem(http, target, Object.fromEntries(parts.map((part) => [part, whole[part]])));
};

/** Only a private video can have a time of publication; YouTube refuses it beside any other privacy. */
function scheduled({ publishAt, ...status }: JsonObject): JsonObject {
  return status['privacyStatus'] === 'private' ? given({ ...status, publishAt }) : status;
}
