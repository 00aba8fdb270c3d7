/** Names of sites with their hosts, which are separated by spaces. */
export interface SiteLists {
  readonly searchEngines: Readonly<Record<string, string>>;
  readonly socialNetworks: Readonly<Record<string, string>>;
  readonly aiAssistants: Readonly<Record<string, string>>;
}

/** Sites that the list lacks. Names without a dot are values that assistants write into `utm_source`. */
export const ADDED: SiteLists = {
  searchEngines: {
    andi: "andisearch.com",
    baidu: "com.baidu.searchbox",
    bing: "com.microsoft.bing",
    brave: "com.brave.browser",
    duckduckgo: "duck.com com.duckduckgo.mobile.android",
    ecosia: "com.ecosia.android",
    ekoru: "ekoru.org",
    google:
      "google.cat encrypted.google.com lens.google.com shopping.google.com googleweblight.com com.google.android.apps.searchlite com.google.android.apps.magazines",
    marginalia: "search.marginalia.nu marginalia-search.com",
    metager: "metager.org",
    mullvad: "leta.mullvad.net",
    naver: "naver.com com.nhn.android.search",
    petalsearch: "petalsearch.com",
    seznam: "seznam.cz",
    yahoo: "yahoo.com yahoo.{} com.yahoo.mobile.client.android.search",
    yandex: "clck.yandex.{} yabs.yandex.{} ru.yandex.searchplugin com.yandex.searchapp",
  },
  socialNetworks: {
    bluesky: "xyz.blueskyweb.app",
    digg: "digg.com",
    discord: "com.discord",
    facebook: "facebook.{} fb.com messenger.com com.facebook.katana com.facebook.lite com.facebook.orca",
    instagram: "com.instagram.android com.instagram.lite",
    line: "line.me jp.naver.line.android",
    linkedin: "com.linkedin.android",
    nextdoor: "nextdoor.{} nextdoor.com com.nextdoor",
    odnoklassniki: "ok.ru ru.ok.android",
    pinterest: "pinterest.{} pin.it com.pinterest",
    quora: "quora.com com.quora.android",
    reddit: "redd.it",
    telegram: "t.me telegram.me telegram.org",
    threads: "com.instagram.barcelona",
    tiktok: "com.zhiliaoapp.musically com.ss.android.ugc.trill",
    tumblr: "com.tumblr",
    twitch: "twitch.tv",
    twitter: "com.twitter.android",
    vk: "vk.ru com.vkontakte.android",
    wechat: "com.tencent.mm",
    weibo: "weibo.cn",
    whatsapp: "whatsapp.com wa.me com.whatsapp com.whatsapp.w4b",
    xiaohongshu: "xiaohongshu.com",
    youtube: "youtube-nocookie.com com.google.android.youtube",
    zhihu: "zhihu.com",
  },
  aiAssistants: {
    chatgpt: "chatgpt openai com.openai.chatgpt",
    claude: "claude claude.com com.anthropic.claude",
    copilot: "copilot copilot.com copilot.cloud.microsoft m365.cloud.microsoft com.microsoft.copilot",
    deepseek: "com.deepseek.chat",
    doubao: "doubao.com",
    gemini: "gemini com.google.android.apps.bard",
    kimi: "kimi.com kimi.ai kimi.moonshot.cn",
    perplexity: "perplexity pplx.ai ai.perplexity.app.android",
    phind: "phind.com",
    poe: "poe.com",
  },
};

/** The names of sources whose name in the list is another one, or that stand for one site. */
export const RENAMED: ReadonlyMap<string, string> = new Map([
  ["Bing Images", "bing"],
  ["Google Blogsearch", "google"],
  ["Google Custom Search", "google"],
  ["Google Images", "google"],
  ["Google Maps", "google"],
  ["Google News", "google"],
  ["Google Scholar", "google"],
  ["Google Shopping", "google"],
  ["Google syndicated search", "google"],
  ["Google Video", "google"],
  ["Google%2B", "google+"],
  ["Haboo", "habbo"],
  ["Ozone", "qzone"],
  ["Seznam Videa", "seznam"],
  ["Vkontakte", "vk"],
  ["Yahoo!", "yahoo"],
  ["Yahoo! Images", "yahoo"],
  ["Yahoo! Japan", "yahoo"],
  ["Yahoo! Japan Images", "yahoo"],
  ["Yahoo! Japan Videos", "yahoo"],
  ["Yandex Images", "yandex"],
  ["You", "you.com"],
]);

/** Hosts of the list that are no search engine or social network beyond certain paths, which visits are known without. */
export const REMOVED: ReadonlySet<string> = new Set([
  "arcor.de",
  "charter.net",
  "cnn.com",
  "fastweb.it",
  "icq.com",
  "kadaza.com",
  "login.live.com",
  "online.no",
  "optuszoo.com.au",
  "skynet.be",
  "so-net.ne.jp",
  "startsiden.no",
  "talktalk.co.uk",
  "translate.google.com",
  "url.google.com",
  "weborama.fr",
]);

/** Search engines whose subdomains are other services, such as mail.google.com, unless the list has them. */
export const EXACT: ReadonlySet<string> = new Set([
  "baidu.com",
  "google.cat",
  "google.com",
  "google.{}",
  "naver.com",
  "seznam.cz",
  "sogou.com",
  "ya.ru",
  "yahoo.com",
  "yahoo.{}",
  "yandex.com",
  "yandex.ru",
  "yandex.{}",
]);

/** Hosts that visitors return from after a payment or its authentication. */
export const PAYMENT_PROVIDERS: ReadonlySet<string> = new Set(
  `2checkout.com adyen.com affirm.com afterpay.com alipay.com arcot.com authorize.net bambora.com bancontact.com
  barclaycard.co.uk billdesk.com braintreegateway.com braintreepayments.com buckaroo.nl cardinalcommerce.com
  cashfree.com ccavenue.com checkout.com checkout.shopify.com clearpay.co.uk conekta.com cybersource.com
  datatrans.com dotpay.pl ebanx.com elavon.com epay.dk fastspring.com flutterwave.com getalma.eu girogate.de
  giropay.de globalpay.com gocardless.com hipay.com ideal.nl ingenico.com instamojo.com iyzipay.com klarna.com
  mercadopago.com mobilepay.dk mollie.com monetico-services.com multisafepay.com nets.eu nexi.it ogone.com paddle.com
  pagseguro.uol.com.br pay.amazon.co.uk pay.amazon.com pay.amazon.de pay.google.com paybox.com payconiq.com
  paydirekt.de paygate.co.za payments.amazon.co.uk payments.amazon.com payments.amazon.de payone.com paypal.com
  payplug.com paysafecard.com paystack.com paytm.com paytm.in paytrail.com payu.com payu.in payu.pl payzen.eu
  phonepe.com postfinance.ch przelewy24.pl quickpay.net razorpay.com realexpayments.com redsys.es rsa3dsauth.com
  saferpay.com sagepay.com satispay.com scalapay.com securesuite.co.uk securionpay.com sezzle.com shop.app skrill.com
  sofort.com squareup.com stripe.com swish.nu systempay.fr tenpay.com tpay.com trustly.com twint.ch unzer.com
  vipps.no vivapayments.com wirecard.com wompi.co worldline-solutions.com worldpay.com yookassa.ru zip.co`.split(/\s+/),
);
