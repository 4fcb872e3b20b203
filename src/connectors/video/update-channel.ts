/**
 * video_channels_update: changes the given settings of a channel and keeps the rest of the part.
 *
 * The banner is in the same part, and is written back as Google's own example does it.
 *
 * @see https://developers.google.com/youtube/v3/docs/channels/update
 */
import type { ToolHandler } from '../../catalog/model/types.ts';
import { valueAt } from '../../core/json.ts';
import type { ToolInputs } from '../inputs/video.ts';
import { given } from '../provider-call.ts';
import { readItem, settableMembers, writeItem, type ItemTarget } from './own-item.ts';

const PART = 'brandingSettings';

const CHANNEL = [
  'title',
  'description',
  'keywords',
  'country',
  'defaultLanguage',
  'trackingAnalyticsAccountId',
  'unsubscribedTrailer',
];

export const updateChannel: ToolHandler<ToolInputs['video_channels_update']> = {
  call: async ({ input, http }) => {
    const { channel_id, description, keywords, country, default_language, trailer_video_id } = input;
    const target: ItemTarget = { collection: 'channels', id: channel_id, parts: [PART] };
    const settings = valueAt(await readItem(http, target), PART);
    const image = settableMembers(settings, 'image', ['bannerExternalUrl']);
    const channel = {
      ...settableMembers(settings, 'channel', CHANNEL),
      ...given({
        description,
        keywords,
        country,
        defaultLanguage: default_language,
        unsubscribedTrailer: trailer_video_id,
      }),
    };
    return writeItem(http, target, {
      [PART]: Object.keys(image).length === 0 ? { channel } : { channel, image },
    });
  },
};
