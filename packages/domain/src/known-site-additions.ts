/** The known sites of each kind. Each field is keyed by the name of a site. A value contains the hosts of the site, separated by spaces. */
export interface KnownSiteLists {
  readonly searchEngines: Readonly<Record<string, string>>;
  readonly socialNetworks: Readonly<Record<string, string>>;
  readonly aiAssistants: Readonly<Record<string, string>>;
  readonly webMailers?: Readonly<Record<string, string>>;
  readonly adServers?: Readonly<Record<string, string>>;
}

/** Sites that are missing from `referrer-list.json`. Hosts without a dot are values that AI assistants send as `utm_source`. */
export const ADDITIONAL_KNOWN_SITES: KnownSiteLists = {
  searchEngines: {
    andi: "andisearch.com",
    "apple maps": "maps.apple.com maps.apple",
    baidu: "com.baidu.searchbox",
    bing: "com.microsoft.bing",
    brave: "com.brave.browser",
    duckduckgo: "duck.com com.duckduckgo.mobile.android",
    ecosia: "com.ecosia.android",
    ekoru: "ekoru.org",
    etools: "etools.ch",
    givero: "givero.com",
    google:
      "google.cat encrypted.google.com lens.google.com shopping.google.com googleweblight.com com.google.android.apps.searchlite com.google.android.apps.magazines com.google.android.apps.maps maps.app.goo.gl goo.gl g.page g.co share.google search.app search.gmx.net suche.gmx.at syndicatedsearch.goog",
    luxxle: "luxxle.com",
    marginalia: "search.marginalia.nu marginalia-search.com",
    metager: "metager.org",
    mullvad: "leta.mullvad.net",
    naver: "naver.com com.nhn.android.search",
    petalsearch: "petalsearch.com",
    seznam: "seznam.cz",
    sogou: "wap.sogou.com",
    toutiao: "so.toutiao.com",
    yahoo: "yahoo.com yahoo.{} com.yahoo.mobile.client.android.search",
    yandex: "clck.yandex.{} yabs.yandex.{} ru.yandex.searchplugin com.yandex.searchapp",
  },
  socialNetworks: {
    bilibili: "b23.tv tv.danmaku.bili",
    bluesky: "xyz.blueskyweb.app",
    digg: "digg.com",
    discord: "com.discord",
    douyin: "com.ss.android.ugc.aweme",
    dzen: "dzen.ru",
    facebook:
      "facebook.{} fb.com messenger.com com.facebook.katana com.facebook.lite com.facebook.orca com.facebook.mlite m.me",
    instagram: "com.instagram.android com.instagram.lite ig.me instagr.am",
    kakao: "pf.kakao.com story.kakao.com com.kakao.talk",
    line: "line.me jp.naver.line.android lin.ee",
    linkedin: "com.linkedin.android com.linkedin.android.lite",
    nextdoor: "nextdoor.{} nextdoor.com com.nextdoor",
    odnoklassniki: "ok.ru ru.ok.android",
    pinterest: "pinterest.{} pin.it com.pinterest",
    quora: "quora.com com.quora.android",
    reddit: "redd.it",
    slack: "app.slack.com slack-redir.net com.slack",
    telegram: "org.telegram.messenger.web t.me telegram.me telegram.org",
    threads: "com.instagram.barcelona",
    tiktok: "com.zhiliaoapp.musically com.ss.android.ugc.trill",
    "truth social": "truthsocial.com",
    tumblr: "com.tumblr",
    twitch: "twitch.tv tv.twitch.android.app",
    twitter: "com.twitter.android",
    viber: "com.viber.voip",
    vk: "vk.ru com.vkontakte.android vk.cc",
    wechat: "com.tencent.mm",
    weibo: "weibo.cn com.sina.weibo",
    whatsapp: "whatsapp.com wa.me com.whatsapp com.whatsapp.w4b l.wl.co",
    xiaohongshu: "xiaohongshu.com xhslink.com com.xingin.xhs",
    xing: "com.xing.android",
    youtube: "youtube-nocookie.com com.google.android.youtube",
    zhihu: "zhihu.com com.zhihu.android",
  },
  aiAssistants: {
    alice: "alice.yandex.ru",
    chatgpt: "chatgpt chat-gpt openai openai.com com.openai.chatgpt",
    claude: "claude claude.com com.anthropic.claude",
    copilot: "copilot copilot.com copilot.cloud.microsoft m365.cloud.microsoft com.microsoft.copilot",
    deepseek: "deepseek com.deepseek.chat",
    doubao: "doubao doubao.com",
    felo: "felo felo.ai",
    gemini: "gemini com.google.android.apps.bard",
    genspark: "genspark genspark.ai",
    gigachat: "gigachat giga.chat",
    grok: "grok ai.x.grok",
    kimi: "kimi kimi.com kimi.ai kimi.moonshot.cn",
    "le chat": "mistral lechat ai.mistral.chat",
    lumo: "lumo.proton.me",
    manus: "manus.im",
    perplexity: "perplexity pplx.ai ai.perplexity.app.android",
    phind: "phind phind.com",
    pi: "pi.ai",
    poe: "poe.com",
    qwen: "qwen qianwen.com tongyi.aliyun.com",
    venice: "venice.ai",
    yuanbao: "yuanbao yuanbao.tencent.com",
    "z.ai": "chat.z.ai",
  },
  // The hosts of the frames that show ads. The frame is the referrer of a visit from an ad. It identifies the ad server if the link in the ad has no
  // click id.
  adServers: {
    adform: "adform.net",
    amazon: "amazon-adsystem.com",
    criteo: "criteo.com criteo.net",
    google: "doubleclick.net googlesyndication.com googleadservices.com adsensecustomsearchads.com 2mdn.net",
    outbrain: "paid.outbrain.com",
    rtbhouse: "creativecdn.com",
    taboola: "trc.taboola.com",
    "the trade desk": "adsrvr.org",
    xandr: "adnxs.com",
  },
  // Includes the apps of webmail sites, and the hosts that scan links in messages or count clicks on them.
  webMailers: {
    "126": "mail.126.com",
    "139": "mail.139.com mail.10086.cn",
    "163": "mail.163.com com.netease.mail",
    aliyun: "mail.aliyun.com qiye.aliyun.com",
    aol: "mail.aol.com mail.aol.{} com.aol.mobile.aolapp com.aol.mobile.aolclient",
    "aqua mail": "org.kman.aquamail",
    barracuda: "linkprotect.cudasvc.com",
    bluemail: "me.bluemail.mail",
    bluewin: "email.bluewin.ch rich-v01.bluewin.ch rich-v02.bluewin.ch",
    brevo: "sendibm3.com sp1-brevo.net",
    cisco: "secure-web.cisco.com",
    comcast: "connect.xfinity.com",
    daum: "mail.daum.net mail2.daum.net mail.hanmail.net net.daum.android.mail",
    edison: "com.easilydo.mail",
    fairemail: "eu.faircode.email",
    fastmail: "app.fastmail.com com.fastmail.app",
    gmail:
      "mail.google.com inbox.google.com com.google.android.gm com.google.android.gm.lite com.google.android.apps.inbox",
    gmx: "deref-gmx.net deref-gmx.com deref-gmx.de deref-gmx.at deref-gmx.ch deref-gmx.fr deref-gmx.es deref-gmx.it deref-gmx.co.uk navigator.gmx.net navigator-bs.gmx.net 3c.gmx.net 3c-bap.gmx.net lightmailer.gmx.net lightmailer-bs.gmx.net lightmailer-bap.gmx.net lightmailer.gmx.{} lightmailer.gmx.com navigator-lxa.gmx.com navigator-bs.gmx.com navigator-bs.gmx.{} de.gmx.mobile.android.mail com.gmx.mobile.android.mail",
    hey: "app.hey.com com.basecamp.hey",
    hubspot: "hubspotlinks.com hubspotemail.net",
    hushmail: "hushmail.com",
    icloud: "icloud.com",
    infomaniak: "mail.infomaniak.com",
    interia: "poczta.interia.pl",
    ionos: "deref-1und1.de deref-1und1-02.de mailbusiness.ionos.com mailbusiness.ionos.{}",
    "k-9 mail": "com.fsck.k9",
    klaviyo: "klclick.com klclick1.com klclick2.com klclick3.com",
    libero: "mail.libero.it mail1.libero.it wmail-new.libero.it it.libero.libero-mail",
    mailbox: "app.mailbox.org",
    mailchimp: "list-manage.com mailchi.mp campaign-archive.com",
    mailfence: "mailfence.com",
    "mail.com":
      "deref-mail.com deref-mail-02.com 3c-lxa.mail.com lightmailer.mail.com navigator-lxa.mail.com com.mail.mobile.android.mail",
    "mail.ru": "e.mail.ru touch.mail.ru m.mail.ru light.mail.ru checklink.mail.ru ru.mail.mailapp",
    mimecast: "mimecast.com mimecastprotect.com",
    movistar: "correoweb.movistar.es",
    nate: "mail.nate.com mail3.nate.com",
    naver: "mail.naver.com com.nhn.android.mail",
    o2: "poczta.o2.pl",
    onet: "poczta.onet.pl",
    orange: "messagerie.orange.fr messageriepro3.orange.fr mail01.orange.fr mail02.orange.fr wmail.orange.fr",
    outlook:
      "outlook.live.com outlook.office.com outlook.office365.com outlook.cloud.microsoft mail.live.com hotmail.com safelinks.protection.outlook.com com.microsoft.office.outlook com.microsoft.outlooklite",
    posteo: "posteo.de",
    proofpoint: "urldefense.com urldefense.proofpoint.com urldefense.us",
    proton: "mail.proton.me mail.protonmail.com ch.protonmail.android",
    qq: "mail.qq.com exmail.qq.com com.tencent.androidqqmail",
    rackspace: "apps.rackspace.com",
    rediffmail: "mail.rediff.com",
    runbox: "runbox.com",
    samsung: "com.samsung.android.email.provider",
    seznam: "email.seznam.cz cz.seznam.email",
    sfr: "messagerie.sfr.fr",
    sina: "mail.sina.com.cn mail.sina.cn",
    sohu: "mail.sohu.com",
    spark: "com.readdle.spark",
    superhuman: "mail.superhuman.com",
    symantec: "clicktime.symantec.com",
    "t-online": "email.t-online.de email.magenta.de de.telekom.mail",
    thunderbird: "net.thunderbird.android",
    titan: "app.titan.email",
    tuta: "mail.tutanota.com app.tuta.com mail.tuta.com de.tutao.tutanota",
    "ukr.net": "mail.ukr.net secureurl.ukr.net",
    "web.de":
      "deref-web.de deref-web-02.de navigator.web.de 3c.web.de 3c-bap.web.de lightmailer-bap.web.de lightmailer-bs.web.de de.web.mobile.android.mail",
    wp: "poczta.wp.pl pl.wp.wppoczta",
    yahoo:
      "mail.yahoo.com mail.yahoo.net mail.yahoo.{} currently.att.yahoo.com com.yahoo.mobile.client.android.mail jp.co.yahoo.android.ymail",
    yandex: "mail.yandex.com mail.yandex.{} ru.yandex.mail",
    zoho: "mail.zoho.com mail.zoho.{} com.zoho.mail",
  },
};

/** The source names of sites that `referrer-list.json` lists under another name, keyed by the name in that file. */
export const RENAMED_SOURCES: ReadonlyMap<string, string> = new Map([
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
  ["Mailru", "mail.ru"],
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

/**
 * Hosts in `referrer-list.json` that are ignored. Only certain paths of these hosts belong to a search engine or social network, and referrers do not
 * contain the path.
 */
export const REMOVED_REFERRER_HOSTS: ReadonlySet<string> = new Set([
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

/**
 * The hosts of search engines whose subdomains are other services, such as docs.google.com. A subdomain in a list of known sites is matched before
 * the host.
 */
export const EXACT_MATCH_HOSTS: ReadonlySet<string> = new Set([
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

/**
 * Hosts from which visitors return after a payment or its authentication. Some payment providers list shops, and therefore refer new visitors too.
 * For these providers, the set contains only the hosts of the checkouts. A host that ends in `.{}` stands for all country domains.
 */
export const PAYMENT_PROVIDER_HOSTS: ReadonlySet<string> = new Set(
  `2c2p.com 2checkout.com 95516.com adyen.com affirm.com alipay.com apay-us.amazon.com arcot.com authorize.net
  bambora.com bancontact.com barclaycard.co.uk billdesk.com billplz.com blik.com bluesnap.com braintreegateway.com
  braintreepayments.com buckaroo.nl cardinalcommerce.com cashfree.com ccavenue.com checkout.com checkout.klarna.com
  checkout.sezzle.com checkout.shopify.com checkout.tabby.ai checkout.tamara.co checkout.zip.co cielo.com.br
  cloudpayments.ru comgate.cz computop-paygate.com conekta.com cybersource.com datatrans.com dotpay.pl ebanx.com
  ecpay.com.tw elavon.com epay.dk epayco.co fastspring.com flow.cl flutterwave.com getalma.eu girogate.de giropay.de
  globalpay.com gocardless.com gopay.com gopay.cz hipay.com ideal.nl ingenico.com inicis.com instamojo.com
  iyzipay.com js.klarna.com kakaopay.com khipu.com liqpay.ua login.klarna.com mercadopago.com mercadopago.{}
  midtrans.com mobilepay.dk modirum.com mollie.com moneris.com monetico-services.com multisafepay.com
  netcetera-payment.ch nets.eu newebpay.com nexi.it ogone.com omise.co opayo.co.uk opayo.eu oppwa.com ozow.com
  paddle.com pagseguro.com.br pagseguro.uol.com.br pay.amazon.com pay.amazon.{} pay.google.com pay.klarna.com
  pay.naver.com pay.nl pay.rakuten.co.jp pay.shopify.com pay.weixin.qq.com paybox.com payconiq.com paydirekt.de
  payfast.co.za payfast.io paygate.co.za paymentexpress.com payments-eu.amazon.com payments.amazon.com
  payments.amazon.{} payments.klarna.com paymob.com payone.com paypal.com paypay.ne.jp payplug.com payrexx.com
  paysafecard.com paystack.com paytabs.com paytm.com paytm.in paytr.com paytrail.com payu.com payu.in payu.pl
  payulatam.com payzen.eu peachpayments.com phonepe.com portal.afterpay.com portal.clearpay.co.uk
  portal.scalapay.com portmone.com.ua postfinance.ch przelewy24.pl quickpay.net razorpay.com realexpayments.com
  redsys.es robokassa.ru rsa3dsauth.com saferpay.com sagepay.com satispay.com securepay.tinkoff.ru
  securepayments.sberbank.ru securesuite.co.uk securionpay.com shop.app sips-services.com skrill.com sofort.com
  squareup.com stripe.com swish.nu systempay.fr telr.com tenpay.com tosspayments.com tpay.com transbank.cl
  truelayer.com trustly.com twint.ch unzer.com vipps.no vivapayments.com vnpayment.vn wallee.com wayforpay.com
  windcave.com wirecard.com wompi.co worldline-solutions.com worldpay.com xendit.co yookassa.ru yoomoney.ru
  zimpler.com`.split(/\s+/),
);

/**
 * Hosts from which visitors return after they signed in: identity providers, and login pages of sites. A host that ends in `.{}` stands for all
 * country domains.
 */
export const SIGN_IN_HOSTS: ReadonlySet<string> = new Set(
  `access.line.me account.apple.com account.live.com accounts.google.com accounts.google.{} accounts.kakao.com
  accounts.snapchat.com accounts.spotify.com accounts.youtube.com adobelogin.com amazoncognito.com api.id.me
  api.login.yahoo.com app.franceconnect.gouv.fr appleid.apple.com auth.atlassian.com auth0.com b2clogin.com
  ciamlogin.com duosecurity.com id.twitch.tv id.vk.com idmsa.apple.com kauth.kakao.com login.aol.com login.bankid.no
  login.gov login.live.com login.microsoft.com login.microsoftonline.com login.microsoftonline.us
  login.partner.microsoftonline.cn login.salesforce.com login.windows.net login.yahoo.co.jp login.yahoo.com
  nid.naver.com oauth.vk.com oauth.yandex.com oauth.yandex.ru okta-emea.com okta.com oktapreview.com onelogin.com
  open.weixin.qq.com passport.yandex.com passport.yandex.{} pingone.com pingone.eu signin.aws.amazon.com
  signin.ebay.com sso.jumpcloud.com sts.windows.net`.split(/\s+/),
);
