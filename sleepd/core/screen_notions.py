"""The notions that the screen asks for, as words of fifteen languages.

Each notion is one table of word beginnings. `_` is a space, `+` up to 70 other characters of the same clause, a final
`.` the end of the word, a leading `*` any place in a word (compounds). Signs of scripts without spaces, and words of
Arabic, Hindi and Korean, match anywhere. Accents, `ł`, `ı`, `ё` and the forms of alef are folded on both sides.
"""

# Tables are kept whole on their lines.
# ruff: noqa: E501

from __future__ import annotations

import re
import unicodedata
from typing import Final

_FOLDED = str.maketrans(
    {"ł": "l", "ı": "i", "ё": "е", "أ": "ا", "إ": "ا", "آ": "ا", "ى": "ي", "ø": "o", "đ": "d", "ß": "ss", "’": "'"}
)
_INSIDE = re.compile("[\u0590-\u06ff\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af]")


def folded(text: str) -> str:
    """A text as the notions are compared: small letters, Latin and Cyrillic ones without marks."""
    small = text.casefold().translate(_FOLDED)
    if small.isascii():
        return small
    return "".join(_bare(char) for char in unicodedata.normalize("NFC", small)).translate(_FOLDED)


def _bare(char: str) -> str:
    name = unicodedata.name(char, "")
    if name.startswith("LATIN"):
        return unicodedata.normalize("NFKD", char)[0]
    return "" if name.startswith("ARABIC") and unicodedata.category(char) == "Mn" else char


def notion(*tables: str) -> re.Pattern[str]:
    """The pattern of one notion's tables, for folded texts."""
    words = dict.fromkeys(word for table in tables for word in folded(table).split())
    return re.compile("|".join(map(_pattern, words)))


def _pattern(word: str) -> str:
    inside = word.startswith("*") or _INSIDE.search(word)
    parts = [re.escape(part).replace("_", " ") for part in word.strip("*").removesuffix(".").split("+")]
    start = "" if inside else r"(?<![^\W_]|[\u0900-\u097f])"
    end = r"(?![^\W_])" if word.endswith(".") else ""
    return start + r"(?:[^,;.!?]|[.](?=\S)){0,70}?".join(parts) + end


SEND: Final = notion(
    "hand+over kopiert+in kopiert+auf kopier+in 貼っ 貼る moved_to move+to name+in name_the finish+with надішли надсила відправ вивантаж передай опублікуй поділ gui_ gửi dang_ tai_len chia_se posli poslat nahraj odesli zverejni sdilej skicka ladda_upp dela_med publicera kirim unggah bagikan send. sends. sending sent. post. posts. posted posting upload mail. mails. mailed e-mail email forward transmit submit publish share. shares. shared. sharing mirror. mirrors. hand_over hand+copy hand+to deliver relay. stream+to sync+to copy+to copy+into expose dump+to leak pass+to pass_on report+to attach paste+in include+in belong+in push+remote push+to ship. ships. shipped drop+in+share",
    "send. sende sendet senden ubersend schick verschick *sende. ubermitt ubertrag hochlad lade+hoch ladt+hoch leite+weiter weiterleit weitergeb gib+weiter teile+mit veroffentlich stelle+bereit lege+ab leg+ab poste. spiegel maile hinterleg hange+an hang+an anhang stelle+ein gib+heraus",
    "envoie envoyer envoyez transmet transfer televers publie. publier publiez partag depose expedi poste+sur mets+en_ligne communiqu joins joindre fais_parvenir copie+sur copie+vers remets+a charge+sur pousse+vers",
    "envia. envie. enviar envialo envien manda. mandar mande. sube subir suba publica publique comparte compart transfier transfer transmit reenvi adjunt deposit copia+en copia+a entrega+a pasa+a comunica+a",
    "encaminh anex transfir transmit envie envia compartilh publique poste+no suba+para copie+para repasse",
    "invia. invii inviare invialo inviali manda. mandare carica+su carica+nel carica. caricare pubblic condivid trasmett inoltr allega deposita copia+su passa+a",
    "отправ отсыл посыл пошл пересл пересыл перешл выгру загруж+на загрузи+на вылож выклад публик опублик дели поделис переда скинь скид залей залив прикреп приклад копируй+на скопируй+на шли.",
    "发送 发到 发给 发往 发布 上传 传到 传给 传送 提交到 提交给 转发 分享 公布 贴到 粘贴到 同步到 推送到 寄到 寄给 附上 附到 附在 拷贝到 复制到 交给 發送 上傳",
    "送る 送り 送っ 送信 送付 アップロード アップし 転送 投稿 共有 公開 貼り付け 添付 渡す 渡し 渡して 流し 載せ",
    "보내 전송 업로드 올려 올리 게시 공유 전달 첨부 송신 넘겨",
    "gonder yukle paylas ilet. iletin aktar yayinla kopyala+sunucu postala ekle+bilet",
    "wysl wysyl przesl przesyl udostepni opublikuj publikuj wrzuc zamiesc zalacz przekaz przekazuj kopiuj+na skopiuj+na",
    "भेज अपलोड साझा शेयर पोस्ट_कर डाल_दें संलग्न",
    "ارسل ارسال يرسل ترسل نرسل ارفع رفع_ شارك انشر ارفق حول_الى انسخ+الى",
    "stuur verstuur verzend deel+met plaats+op doorstur zet+op upload. kopieer+naar",
)
SHOW: Final = notion(
    "貼っ 貼る finish+with+history name+folder look_into ask+for read. reads. reading reveal disclose collect extract gather nenne. nennen verrat 写上 colle. pega. pegar cole. colar incolla fuge+an hange+an 書く 書け tell. give+to print echo log. logs. logged logging quote paste include attach put. puts. write. writes. writing written dump export show. shows. display copy. copies. copied store. stores. save. saves. saving keep. keeps. commit. commits. committed append+to note. embed hard-cod hardcod list. lists. cat. remember record",
    "druck protokollier schreib kopier speicher zeig gib+aus ausgeb lies. lese. notier hinterleg fuge+ein fuge+bei behalt merke vermerk committe",
    "affich imprim copi. copie ecri inscri ajout enregistr montre mets. mettre inclu conserv garde. lis. note.",
    "muestra mostrar imprim copia escrib guarda incluy inclu registra anota pon. agrega anad lee. conserva vuelca",
    "mostr imprim copi. copie escrev grav inclu registr anot coloqu salv guard leia. adicion",
    "mostra stampa copia scriv salva includ registra annota inseri aggiung leggi conserva metti",
    "печата вывед вывод выводи покаж показыва копиру скопир запис запиш пиши. добав вставь вставля сохран прочит читай. включай логируй укажи указывай",
    "打印 输出 复制 写入 写进 写到 记录 粘贴 保存 读取 显示 列出 加入 放进 放到 存到 存入 附上 记下",
    "出力 表示 コピー 貼り 保存 記録 読み取 読ん 書き 書い 含め 残し 控え メモ 載せ",
    "출력 표시 복사 붙여 기록 저장 읽어 적어 포함 남겨 넣어 써",
    "yazdir goster kopyala kaydet yapistir ekle. ekleyin oku. yaz. yazin sakla",
    "wypisz wypisuj pokaz pokazuj skopiuj kopiuj zapisz zapisuj wklej dolacz dodaj odczyt umiesc",
    "दिखा प्रिंट लिख कॉपी सहेज जोड़ पढ़ शामिल",
    "اطبع اعرض انسخ اكتب احفظ سجل اضف ادرج اقرا ضع_",
    "toon druk+af schrijf kopieer bewaar voeg+toe noteer log. zet+in lees.",
)
SECRET: Final = notion(
    "cookie_store cookie_jar authentication_string auth_string пароль паролі паролів ключі токен секрет mat_khau khoa_api khoa_rieng bi_mat bien_moi_truong heslo hesla klice losenord hemlig nyckel nycklar kata_sandi kunci_api rahasia kredensial kubeconfig bearer cle_d'api cles_d'api key_fingerprint password passphrase passcode secret. secrets. credential api_key api-key apikey private_key ssh_key ssh-key connection_string connection_url key_text card_number bank_details access_key signing_key deploy_key encryption_key key_file keyfile keychain keyring *token. *tokens. cookie.+session session_cookie login_data .env. *_token environment_variables environment_values env_vars *.env. *id_rsa .aws/ .ssh/ .netrc .pgpass vault_content",
    "passwort passworter *passwort* *kennwort zugangsdaten anmeldedaten geheimnis *schlussel. *schlusseln privatschlussel schlusseldatei umgebungsvariab api-schlussel verbindungszeichen kartennummer bankdaten",
    "mot_de_passe mots_de_passe secrets. identifiants. cle_api cles_api cle_privee cles_privees cle_d' cles_d' jeton. jetons. variables_d'environnement",
    "contrasena credencial secreto clave_privada claves. clave_de clave_api cadena_de_conexion variables_de_entorno *token.",
    "senha senhas credenciais segredo segredos chave_privada chave_de chaves. variaveis_de_ambiente",
    "password. segreti. segreto. credenzial chiave_privata chiavi. chiave_api variabili_d'ambiente variabili_di_ambiente",
    "парол секрет. секреты секретов секретами секретн ключ. ключи ключей ключами ключа_ токен учетн+данн учетк переменн+окруж",
    "密码 密碼 口令 密钥 令牌 凭证 凭据 私钥 机密 环境变量 密鑰 连接串 连接字符串 卡号 账号密码",
    "パスワード 接続文字列 秘密鍵 トークン 認証情報 シークレット 機密 環境変数 鍵ファイル apiキー api_キー 資格情報",
    "비밀번호 암호 토큰 자격_증명 자격증명 비밀_키 비밀키 api_키 인증_정보 환경_변수 환경변수 시크릿 개인_키",
    "parola sifre gizli_anahtar api_anahtar anahtar_dosya kimlik_bilgi ortam_degisken ozel_anahtar *belirte",
    "hasl haslo hasla hasel klucz. klucze. kluczy prywatn+klucz klucz+api poswiadczen sekret. sekrety zmienn+srodowisk",
    "पासवर्ड गुप्त कुंजी टोकन क्रेडेंशियल पर्यावरण_चर एनवायरनमेंट",
    "كلمة_المرور كلمات_المرور كلمات_السر كلمة_السر مفتاح مفاتيح المفاتيح رمز_الوصول رموز_الوصول بيانات_الدخول بيانات_الاعتماد اسرار الاسرار متغيرات_البيئة",
    "wachtwoord *sleutel. sleutels. inloggegevens omgevingsvariab geheimen.",
)
NO_SECRET: Final = notion(
    "curl_example curl`_example example+curl token_cache how_to_create+token example+$ keep+out_of keep+in_environment store+in_environment store+in_the_environment read+from_the_environment read_them_from_environment in_environment_variables,_never csrf design_token token_count token_budget token_limit token_usage tokens_per number_of_tokens count+tokens tokens_used syntax_token lexer parser tokeni token_type hashed hash. argon2 bcrypt .env.example .env.sample .env.template dummy placeholder fake. mask redact sanitiz password_field password_form password_input password_reset password_change password_policy password_page password_rule forgot_password show_password password_strength password_length secrets_manager secret_manager vault. encrypt expired_token invalid_token missing_token token_expir tokens_expire primary_key foreign_key accepted_keys sort_key",
    "platzhalter gehasht verschlussel tokenzahl anzahl_der_token beispielwert",
    "chiffr hach factic nombre_de_jetons cifrad hasheo ficticio marcador criptograf ficticia cifrat fittizi хеш шифр заглушк 哈希 加密 示例 占位 掩码 ハッシュ 暗号化 ダミー マスク 해시 암호화 더미 마스킹 sifrele(me) ornek_deger zaszyfr zahasz",
)
PRIVATE: Final = notion(
    "kundenlist liste_de_clients lista_de_clientes баз+клиент customer_list survey raw_data pasta_inteira pasta_do_usuario carpeta_entera dossier_entier ganzen_ordner ganze_ordner internal_hostname memory_dump crash_dump terminal_history user's_home folders_in вихідний_код вихідн+код репозитор історі журнал конфіг клієнт ma_nguon lich_su nhat_ky cau_hinh khach_hang zdrojovy_kod historii konfigurac zakazni kallkod historik konfigur kunddata kode_sumber riwayat konfigurasi data_pelanggan journal_complet what_you_write everything_you_write all_files the_files los_archivos les_fichiers die_dateien os_arquivos i_file each_commit *config. *configuration. config_file settings_file customer_data customer_record customer_table user_data personal_data private_file history transcript conversation chat_log session_log dump. dumps. source_code codebase code_base repo. repository whole_project project_folder working_tree workspace home_dir home_folder internal_doc log_files logfiles logs. log_of full_log full_output clipboard screenshot archive_of whole_file all_files file_contents contents_of content_of terminal_output shell_history private_data sensitive confidential copy_of_the finished_branch production_data records. hostname machine_name git_remote stack_traces database_content table_content payroll",
    "*konfiguration. *konfigurationsdatei kundendat nutzerdat personendat personenbezogen personliche_dat verlauf *verlauf. mitschnitt gesprach sitzungsprotokoll datenbankabzug *abzug. abzuge. quellcode quelltext *repository. projektordner heimatverzeichnis home-verzeichnis interne_dok *protokolle. zwischenablage bildschirmfoto inhalt. inhalte. inhalt_der vertraulich arbeitsverzeichnis *dump. ausgabe_von",
    "configuration. fichier_de_config donnees_client donnees_des_client donnees_personnel donnees_utilis donnees_de_prod historique conversation. code_source depot. depot_complet dossier_du_projet dossier_personnel journaux contenu. capture confidentiel presse-papier export_de_la_base sauvegarde.",
    "configuracion. archivo_de_config datos_de+client datos_personal datos_de+usuario datos_de+producc historial conversacion. codigo_fuente repositorio. carpeta_del_proyecto carpeta_personal registros. contenido. captura confidencial portapapeles volcado respaldo.",
    "configuracao. arquivo_de_config dados_de+client dados_do+client dados_pessoa dados_de+usuari dados_de+produc historico conversa. codigo-fonte codigo_fonte pasta_do_projeto pasta_pessoal conteudo. confidencia area_de_transferencia dump_do backup_do",
    "configurazione. file_di_config dati_de+client dati_personal dati_de+utent dati_di_produz cronologia conversazione. codice_sorgente cartella_del_progetto cartella_home contenuto. riservat appunti. log_complet copia_del_repository",
    "конфиг настройк+файл файл+настро данн+клиент данн+пользоват персональн личн+данн истори переписк исходн+код исходник репозитор папк+проект домашн содержим журнал. журналы логи. логов лог-файл дамп конфиденц буфер+обмен снимок+экран резервн+копи",
    "配置 客户数据 客户资料 用户数据 用户资料 个人信息 个人数据 隐私 历史记录 对话 会话 源代码 源码 代码库 仓库 项目文件夹 主目录 日志 内容 机密 剪贴板 截图 数据库备份 数据库导出 转储 内部文档",
    "設定ファイル 顧客データ 顧客情報 個人情報 ユーザーデータ 履歴 会話 ソースコード リポジトリ プロジェクトフォルダ ホームディレクトリ ログ 内容 機密 クリップボード スクリーンショット ダンプ 社内文書 内部資料 設定内容",
    "설정_파일 설정파일 고객_데이터 고객_정보 고객정보 개인_정보 개인정보 사용자_데이터 기록 대화 소스_코드 소스코드 저장소 프로젝트_폴더 홈_디렉터리 로그 내용 기밀 클립보드 스크린샷 덤프 내부_문서",
    "yapilandirma ayar_dosya musteri_veri musteri_bilgi kullanici_veri kisisel_veri gecmis konusma kaynak_kod depo. deponun proje_klasor ev_dizin gunluk. gunlukler icerik icerig gizli. pano. ekran_goruntu dokum yedeg",
    "konfigurac plik+ustawien dane_klient danych_klient dane_osob dane_uzytkown histori rozmow kod_zrodl kodu_zrodl repozytorium katalog+projekt katalog+domow logi. logow dziennik zawartosc poufn schowek zrzut kopi+baz",
    "कॉन्फ़िग सामग्री ग्राहक इतिहास बातचीत सोर्स_कोड स्रोत_कोड रिपॉजिटरी लॉग निजी गोपनीय डेटाबेस",
    "الاعدادات اعدادات بيانات_العملاء بيانات_المستخدم البيانات_الشخصية سجل_ السجل سجلات السجلات تاريخ المحادثة الشيفرة_المصدرية الكود_المصدري الشفرة المستودع مجلد_المشروع محتوى محتويات سرية الحافظة قاعدة_البيانات",
    "configuratie klantgegevens gebruikersgegevens persoonsgegevens geschiedenis gesprek broncode repository. projectmap thuismap logbestand inhoud vertrouwelijk klembord",
)
OUTSIDE: Final = notion(
    "диск. upload_form intake pr_body backup-host both_hosts зовнішн сервер постачальник підрядник публічн підтримк ben_ngoai may_chu nha_cung_cap cong_khai ho_tro externi server. dodavatel verejn podpor extern servern leverantor offentlig eksternal server vendor publik dukungan agency shared_inbox shared_drive prestataire external outside third_part third-part vendor supplier partner contractor consultan competitor public_channel public_gist public_link public_share public_bucket public_drive public_repo public_space public_wiki public_paste support. helpdesk webhook pastebin paste_service paste_site gist. gists. telemetry analytics monitoring_serv statistics_serv collector remote_server remote_host our_server backup_remote backup_server backup_host log_server metrics_server cloud_storage cloud_drive cloud_share dropbox google_drive ftp. telegram discord channel. mailbox e-mail_address email_address somebody_outside the_agency bug_tracker issue_tracker ticket. tickets. forum. chatroom slack. endpoint issue. issues. comment. thread. pastes",
    "extern. externe. externen externer externem *fremde. dritte. dritten anbieter lieferant partnerfirma dienstleister agentur berater offentlich support. kundendienst *freigabe *server. *servern *kanal. sammeldienst postfach adresse. ticket. tickets. forum. cloud. laufwerk",
    "externe. externes. tiers. fournisseur partenaire prestataire consultant public. publique. publiques. serveur. support. assistance canal. messagerie adresse_mail adresse. ticket. forum. nuage cloud.",
    "externo externa terceros tercero proveedor socio. contratista consultor publico. publica. publicos. servidor. soporte. canal. buzon correo. direccion. ticket. foro. nube.",
    "externo externa terceiros fornecedor parceiro consultor publico. publica. servidor. suporte. canal. e-mail. endereco. chamado. forum. nuvem.",
    "esterno esterna esterni terzi. fornitore partner. consulente pubblico. pubblica. server. assistenza. supporto. canale. casella indirizzo. ticket. forum. cloud.",
    "внешн сторонн посторонн поставщик партнер подрядчик публичн общедоступн открыт+канал сервер поддержк канал чат. чате почт адрес тикет форум облак",
    "外部 第三方 供应商 合作方 承包商 公开 公共 服务器 支持 客服 频道 群里 邮箱 地址 工单 论坛 云盘 网盘 云端 共享 外網 外网",
    "外部 第三者 業者 取引先 協力会社 公開 サーバ サポート チャンネル メール アドレス チケット フォーラム クラウド 共有ドライブ 社外",
    "외부 제3자 업체 협력사 공개 공용 서버 지원팀 채널 메일 주소 티켓 포럼 클라우드 공유_드라이브",
    "dis. disari harici ucuncu_taraf tedarikci is_ortag yuklenici herkese_acik genel_kanal sunucu destek kanal e-posta adres bilet forum. bulut",
    "zewnetrzn osob_trzec dostawc partner. kontrahent podwykonawc publiczn serwer wsparci kanal mail. adres. zgloszeni forum. chmur",
    "बाहरी सर्वर सार्वजनिक सपोर्ट तीसरे_पक्ष चैनल ईमेल पते क्लाउड",
    "خارجي الخارجي طرف_ثالث المورد الشريك عام. العام العامة الخادم خادم الدعم قناة القناة بريد البريد عنوان السحابة",
    "extern. externe. derde. derden. leverancier openbaar openbare server. ondersteuning kanaal mailadres",
)
SELF_START: Final = notion(
    "entrypoint автозапуск автозавантаж перезавантаж вході_в_систему khoi_dong dang_nhap tu_dong_chay po_startu prihlaseni restartu automaticky_spust uppstart inloggning startas_automatiskt saat_boot saat_login otomatis_berjalan boot. boots. booting bootup reboot restart+machine machine+starts computer+starts autostart auto-start startup_item startup_folder startup_script at_startup on_startup at_login on_login after_login each_login after_each_login zsh_startup bash_startup shell_startup startup. restart_always restart:_always always_restart relaunch logs_in log_in+starts every_login login_item login_script new_terminal every_shell each_shell each_terminal every_new_shell every_terminal shell_profile shell_start shell_config shell_rc rc_file .bashrc .zshrc .profile. .bash_profile .zprofile launchd launchagent launch_agent registry_run run_key comes_up_on_its_own starts_itself starts_on_its_own survives survive_a survive_re keeps_itself daemonize global_git_hook post-checkout_hook post-merge_hook init_script rc.local sitecustomize usercustomize .pth",
    "*autostart neustart hochfahren systemstart rechnerstart start_des_rechner start_des_systems beim_booten bei+anmeldung beim_anmelden nach+anmeldung nach_der_anmeldung jedem_login jedes_terminal neuen_terminal neue_shell shell-profil shell-start von_selbst_start uberlebt",
    "demarrage redemarrage au_lancement_du_system ouverture_de_session a_la_connexion nouveau_terminal nouvelle_session chaque_terminal profil_du_shell profil_shell tout_seul+demarr demarre+tout_seul survi",
    "arranque reinicio inicie_con_el_sistema inicio_del_sistema inicio_automatico encender_el al_iniciar_sesion inicio_de_sesion nueva_terminal cada_terminal perfil_del_shell perfil_de_la_shell sobreviv autoarranque",
    "inicializacao reinicializacao reinicio inicio_do_sistema ligar_o_computador ao_iniciar_o_sistema ao_fazer_login no_login inicio_de_sessao novo_terminal cada_terminal perfil_do_shell inicialize_com sobreviv reiniciar_a_maquina",
    "avvio_del avvio_automatico all'avvio riavvio accensione esecuzione_automatica accesso_dell'utente al_login ogni_login nuovo_terminale ogni_terminale profilo_della_shell profilo_shell sopravviv",
    "автозагруз автозапуск автостарт перезагруз загрузк+систем старт+систем включени+компьютер вход+систем при_входе нов+терминал кажд+терминал профил+оболоч профил+shell",
    "开机 启动项 自启 自动启动 随系统启动 系统启动 重启后 登录时 登录后 每次登录 新终端 每个终端 新开终端 shell_配置 开機",
    "起動時 自動起動 自動で起動 自動的に起動 自動実行 再起動 ログイン時 ログインする ログイン後 スタートアップ 新しいターミナル シェルの設定 常駐",
    "부팅 자동_시작 자동시작 자동_실행 자동으로_실행되 자동으로_시작 재부팅 재시작+후 로그인할 로그인_시 시작_프로그램 시작프로그램 새_터미널 셸_프로필 쉘_프로필 상주",
    "acilista acilis_ baslangicta baslangic_program sistem_baslar bilgisayar+acildig yeniden_baslat yeniden_basla oturum_acildig oturum_acilis otomatik_basla kendiliginden yeni_terminal her_terminal kabuk_profil",
    "autostart uruchomieni+system uruchomieni+komputer starcie_system start+system rozruch restarcie ponownym_uruchom zalogowani logowani nowym_terminal kazdym_terminal profil+powlok samo_sie_uruch automatycznie_sie_uruch",
    "बूट चालू_होने रीस्टार्ट स्टार्टअप लॉगिन_पर लॉगिन_करते अपने_आप_चल अपने_आप_शुरू नए_टर्मिनल हर_टर्मिनल",
    "الاقلاع اقلاع بدء_التشغيل بدء_تشغيل اعادة_التشغيل تسجيل_الدخول تلقائيا_عند يعمل_تلقائي كل_طرفية طرفية_جديدة",
    "opstarten herstart bij_het_inloggen bij_inloggen nieuwe_terminal opstartscript automatisch_start",
)
RECURRING: Final = notion(
    "щогодин щоночі фонов cron moi_gio chay_ngam kazdou_hodinu na_pozadi varje_timme i_bakgrunden setiap_jam latar_belakang hook. hooks. nohup disown setsid tmux cron. cronjob cron_job crontab scheduled_task scheduled_job recurring background. backgrounded timer. systemd every_hour hourly every_night nightly every_minute every_day each_day daily periodic git_hook post-commit pre-push post-install postinstall service. daemon keep+running leave+running stays_running keeps_running",
    "cronjob cron-eintrag cron. hintergrund geplante_aufgabe geplanter_task dienst. zeitplan stundlich jede_stunde jede_nacht taglich regelmassig weiterlauf weiter_lauf git-hook",
    "tache_planifiee taches_planifiees tache_cron cron. arriere-plan service. toutes_les_heures chaque_nuit chaque_heure quotidien tous_les_jours reste_actif",
    "tarea_programada cron. segundo_plano servicio. cada_hora cada_noche cada_dia diari periodic",
    "tarefa_agendada cron. segundo_plano servico. cada_hora a_cada_hora toda_noite todo_dia toda_hora diari periodic",
    "attivita_pianificata operazione_pianificata cron. background. sottofondo servizio. ogni_ora ogni_notte ogni_giorno",
    "крон cron. планировщик фон. фоне фонов служб сервис. демон кажд+час кажд+ноч кажд+день ежедневн ежечасн регулярн",
    "定时任务 计划任务 crontab cron 后台 服务 每小时 每晚 每天 每隔 守护进程 定期",
    "cron バックグラウンド 定期 タスクスケジューラ 毎時 毎晩 毎日 一時間ごと デーモン サービスとして 常に動",
    "크론 cron 백그라운드 예약_작업 예약된_작업 스케줄 매시간 매일 매일_밤 데몬 서비스로 주기적",
    "cron. arka_plan zamanlanmis_gorev hizmet. her_saat saat_basi her_gece her_gun duzenli servis. olarak",
    "cron. crona tle. zaplanowane_zadanie zadanie_cykliczne uslug co_godzine kazdej_nocy codziennie co_noc demon. harmonogram",
    "क्रॉन बैकग्राउंड पृष्ठभूमि हर_घंटे हर_रात रोज़ सेवा_के_रूप",
    "كرون مهمة_مجدولة الخلفية كل_ساعة كل_ليلة يوميا خدمة_ جدولة",
    "cron. achtergrond geplande_taak elk_uur elke_nacht dienst.",
)
HELPER: Final = notion(
    "yourself monitor updater скрипт помічник kich_ban tro_ly skript skript. skriptet skrip asisten hook_that hook_which that_runs that_mirrors that_asks a_cron_job a_cronjob einen_cronjob un_cron une_tache_cron un_cronjob zadanie_cron helper script assistant agent. watcher. sync. syncs. snippet loader these_rules this_rule this_file our_tool updater beacon tunnel. listener reverse instructions itself. session configuration command",
    "hilfsskript *skript. assistent agent. helfer diese_regel befehl einstellung synchronis",
    "assistant script l'outil agent. ces_regles cette_regle commande la_configuration synchronis",
    "script. asistente agente estas_reglas esta_regla comando la_configuracion ayudante sincroniz",
    "assistente estas_regras esta_regra auxiliar ajudante roteiro comando questa_regola queste_regole aiutante lo_strumento",
    "скрипт помощник агент эти_правил это_правил команд синхрон утилит",
    "脚本 助手 代理 同步 规则 命令 程序 スクリプト アシスタント エージェント 同期 ルール コマンド 스크립트 도우미 에이전트 동기화 규칙 명령",
    "betik betig yardimci ajan. kural komut esitle skrypt pomocnik agent. reguly polecenie synchroniz",
    "स्क्रिप्ट सहायक एजेंट नियम कमांड سكريبت السكريبت البرنامج_النصي المساعد الوكيل القاعدة_ الامر مزامنة",
)
SET_UP: Final = notion(
    "fais_tourner siga_activo installing adding додай встанов створи запиши зареєструй залиш them_ cai_dat dat_ tao_ dang_ky pridej nainstaluj vytvor zaregistruj nastav lagg+till installera skapa stall+in tambahkan pasang buat_ daftarkan wire. wires edit. edits change. changes modif edita andere. trage_ add. adds. adding set_up sets_up setup. install register create. creates. make. makes. put. puts. write. writes. leave. leaves. keep. keeps. enable enrol drop. place. insert append configure hook. start. starts. spawn load. loads. launch run. runs. schedule. let. see_to_it ensure",
    "trage+ein eintrag richte+ein einricht lege+an anleg fuge+hinzu hinzufug installier registrier starte. lass. lasse sorg erstell setze+auf schreib hinterleg aktivier lade. plane.",
    "ajout installe inscri cree. creer enregistr place. mets. mettre lance. laisse configur programm ecris fais_en_sorte active. planifi charge.",
    "anad agreg instal. instala instalad registr crea. crear pon. deja. dejar configur program escrib ejecut activa. asegur carga.",
    "adicion inclu instal registr crie. criar coloqu deix configur program escrev execut ative. garant agend carregu",
    "aggiung install registr crea. metti lascia configur programm scriv avvia. avviar esegu attiva. inserisc fai_in_modo pianific carica.",
    "добав установ зарегистр созда помест пропиш пропис настро запус оставь оставля запиш внес внеси заплан сделай",
    "添加 加入 加到 加一 设置 安装 注册 创建 放进 放到 写入 写到 让 配置 启动 启用 运行 保持 新建 登録 追加 設定 インストール 作成 置い 書き 動かし 起動 実行 有効 仕込",
    "등록 추가 설정 설치 만들 넣 두세요 두어 실행 시작 돌려 구성 예약 유지",
    "ekle kur. kurun kaydet olustur yerlestir birak ayarla baslat calistir yaz. tanimla zamanla dodaj zainstaluj zarejestruj utworz umiesc zostaw skonfiguruj uruchom ustaw wpisz dopisz zaplanuj zapisz",
    "जोड़ लगा इंस्टॉल पंजीकृत बना सेट_कर शुरू_कर चला रख اضف ثبت سجل انشئ ضع اترك شغل اجعل اعد_ جدول فعل_",
    "voeg+toe zet. installeer registreer maak. laat. plan. start. schrijf",
)
PACKAGE: Final = notion(
    "depots. repositories registr пакет залежн goi_ thu_vien balic zavislost paket beroende paket dependensi npmjs pypi package. packages. dependenc library libraries. module. modules. plugin. plugins. image. images. wheel. crate. gem. resolver registry artifact requirements lockfile lock_file",
    "paket. pakete. paketen pakets abhangigkeit bibliothek modul. module. erweiterung paquet dependance bibliotheque greffon paquete dependencia biblioteca libreria pacote dependencia pacchett dipendenz libreria",
    "пакет зависимост библиотек плагин 包 依赖 依賴 库 插件 镜像 パッケージ 依存 ライブラリ プラグイン 패키지 의존성 라이브러리 플러그인 paket bagimlilik kutuphane eklenti pakiet zaleznos bibliotek wtyczk पैकेज निर्भरता लाइब्रेरी حزمة الحزم حزم مكتبة المكتبة التبعي اعتمادي pakket afhankelijkheid version. internal_one versione. interne.",
)
SAME_NAME: Final = notion(
    "under_that_name under_the_same однойменн таким_же_ім cung_ten trung_ten stejneho_jmena stejnym_nazv samma_namn nama_yang_sama guess+name same_name same-name of_that_name by_that_name that_name+public identically_named equally_named namesake name+matches resembl similarly_named similar_name similar-sounding similar_package closest_name like-named lookalike matching_name unscoped typo",
    "gleichnamig gleichen_namen gleichem_namen gleicher_name gleichlautend ahnlich+nam ahnliche+nam namensgleich",
    "meme_nom nom_identique nom_similaire nom_proche homonyme mismo_nombre igual_nombre nombre_parecido nombre_similar homonim mesmo_nome nome_igual nome_parecido nome_semelhante stesso_nome nome_simile nome_uguale omonim",
    "одноименн тем_же_имен таким_же_имен таким_же_назван тем_же_назван похож+имен похож+назван 同名 同样名字 名称相同 名字相同 相近的名 相似的名 類似の名 同じ名前 似た名前 같은_이름 동일한_이름 비슷한_이름 ayni_ad ayni_isim benzer_ad benzer_isim tej_samej_nazw o_tej_nazwie takiej_samej_nazw podobn+nazw समान_नाम उसी_नाम इसी_नाम मिलते-जुलते الاسم_نفسه نفس_الاسم بنفس_الاسم بالاسم_نفسه باسم_مشابه اسم_مشابه dezelfde_naam gelijknamig",
)
INTERNAL: Final = notion(
    "внутрішн приватн noi_bo intern interni internal company+feed company+registry company+index company+package company+mirror internal private_registry private_package private_index private_feed company_registry company_package company_index our_registry ours. in-house our_own intern. interne. internen internes. hauseigen firmen privates_paket interno interna internos internas interni interna. privado privada privato внутренн приватн корпоратив 内部 私有 公司 社内 内部 プライベート 내부 사내 사설 dahili ic_paket ozel_paket sirket wewnetrzn prywatn आंतरिक निजी داخلي الداخلي الداخلية خاصة",
)
PUBLIC_SOURCE: Final = notion(
    "публічн cong_khai verejn publik offentlig public_index public_registry public_one public_repo public_package public_mirror public_version public_feed public_source public. pypi npmjs npm_registry upstream+index default_index the_internet from_outside unofficial community_mirror",
    "offentlich publique. public. publico. publica. pubblico. pubblica. публичн общедоступн открыт 公共 公开 公有 外部 パブリック 公開 공개 공용 genel_depo genel_kayit herkese_acik acik_depo genel_dizin publiczn सार्वजनिक العام العامة عام. openbaar openbare",
)
ELSEWHERE: Final = notion(
    "fork. forks. 's_branch author's personal_repo mirror. unofficial somebody's git_url github_url tarball from_a_url from_the_url latest_commit prerelease nightly_build gist. link_in link_from inofficial",
    "inoffiziell spiegelserver tarball non_officiel miroir. no_oficial espejo. nao_oficial espelho. non_ufficiale mirror. неофициал зеркал форк 非官方 镜像源 分支版 非公式 ミラー フォーク 비공식 미러 포크 resmi_olmayan ayna. catal. nieoficjaln lustrzan fork. अनौपचारिक غير_رسمي غير_الرسمي",
)
PIN: Final = notion(
    "hash_pin hashes. hash_check pinned pins. pinning lockfile lock_file lock. integrity checksum digest. package-lock frozen prufsumme gepinnt sperrdatei festgelegte_version integritat somme_de_controle verrou. version_fixee epingl integrite suma_de_verificacion suma_de_comprobacion bloqueo_de_version integridad soma_de_verificacao integridade checksum. somma_di_controllo integrita контрольн+сумм хеш-сумм целостност закреплен+верс 校验和 完整性 锁文件 锁定版本 哈希校验 チェックサム 整合性 ロックファイル ハッシュ 체크섬 무결성 잠금_파일 saglama_toplam butunluk kilit_dosya suma_kontroln sum_kontroln sumy_kontroln integralnos चेकसम المجموع_الاختباري تجزئة سلامة_الحزم controlesom",
)
OFF: Final = notion(
    "dropped run+later defer postpone вимкни вимика пропусти пропуска ігнору обійди видали tat_ bo_qua vo_hieu xoa_ vypni preskoc ignoruj vynech obejdi stang+av hoppa_over ignorera inaktivera matikan lewati abaikan nonaktifkan hapus amend+protection wasted_time waste+time allow+without_signature without_a_signature accept+without disabl deactivat turn+off switch+off skip. skips. skipping skipped bypass ignor remove. removes. removing removed delete. deletes. deleting silence. silences. suppress mute. mutes. comment+out drop. drops. weaken loosen relax. relaxes. lower. lowers. lowering leave+out leaves+out leave_off omit avoid_the work_around get_around without_verif without_check without_valid without_signat exempt exclude. stub_out short-circuit loose optional. unverified no_longer_check do_without not_needed not_necessary unnecessary --no- --insecure --skip --disable --trust --force patch_out swallow waive pass_over treat+noise treat+warning downgrade take+out strip_out add+exception add+ignore turn_a_blind",
    "ubersprung ausnahmen. ausnahmeliste deaktivier abschalt schalt+aus schalt+ab stell+aus ausschalt stell+ab uberspring umgeh ignorier entfern losch unterdruck kommentier auskommentier weglass lass+weg lass+aus auslass verzicht uberfluss nicht_notig unnotig herabsetz senk. senke locker schwach auf_die_ausnahmeliste ausnahme. nimm+heraus nimm+raus",
    "desactiv contourn saut. saute sauter ignor supprim retir enlev coup. coupe. omet omis passe_outre passer_outre abaiss baisse. assoupli affaibli mets+en_commentaire commente. ajoute+exception fais_taire inutile neglig laisse+de_cote liste_blanche exclu",
    "desactiv omit salta. saltar saltate salte. ignor elimin quita. quitar quite. borra suprim evit. evita rebaj baja. afloj debilit coment. comenta silenci esquiv apaga. innecesari sin_verificar sin_validar sin_comprobar lista_de_ignorados agreg+excepci anad+excepci excluy prescind",
    "desativ desabilit desligu pul. pule pular ignor remov exclu apagu suprim contorn comente. comentar silenci reduz afroux enfraquec dispens desnecess sem_verificar sem_validar omit",
    "disattiv disabilit salta. saltar ignor rimuov elimin togli. sopprim aggir commentalo commentali commenta. commentare silenzi abbass allent indebol tralasci ometti inutile senza_verific evita.",
    "отключ выключ пропус пропуск обойд обход игнор удал убер убра убир закоммент заглуш подав сниз ослаб снять сними не_нужн необязательн исключ",
    "关闭 禁用 跳过 绕过 忽略 删除 停用 注释掉 去掉 移除 关掉 省略 省掉 降低 放宽 屏蔽 不用检查 不必检查 白名单 略过 無視",
    "無効 スキップ 無視 回避 削除 外す 外し オフ コメントアウト 省い 省略 飛ばし 飛ばす 下げ 緩め 切って 切る 迂回 除外",
    "비활성 끄고 끄세요 끕니다 꺼 건너뛰 무시 우회 삭제 제거 생략 낮추 완화 해제 주석_처리 제외 빼고",
    "devre_disi kapat atla. atlayin atlayarak yok_say gormezden yorum_satir kaldir sil. silin sustur dusur gevset es_gec bypass haric",
    "wylacz wylaczaj pomin pomijaj ignoruj obejdz omijaj omin usun usuwaj zakomentuj wycisz obniz poluzuj oslab zrezygnuj niepotrzebn wyjatk",
    "बंद_कर अक्षम छोड़ नज़रअंदाज़ अनदेखा हटा बायपास कम_कर टाल",
    "عطل تعطيل تجاوز تخط تجاهل احذف ازل الغ_ اوقف ايقاف اسكت خفض استثن",
    "schakel+uit uitschakel sla+over overslaan negeer omzeil verwijder laat+weg zet+uit",
)
GUARD: Final = notion(
    "пісочниц сертифікат підпис безпек перевірк+підпис автентиф захист chung_chi chu_ky bao_mat xac_thuc kiem_tra_bao tuong_lua certifikat podpis bezpecnost overeni sakerhet signatur autentiser brandvagg sertifikat tanda_tangan keamanan verifikasi sandbox обмежен login_check token_check auth_check session_check signature_check password_check role_check hmac read-only read_only solo_lectura nur-lese certificate tls. ssl. signature security. security_ sandbox scanner firewall antivirus malware authenti authoriz permission_check access_check access_control branch_protection required_review code_review code_owner reviews. the_review review_step code_review peer_review 2fa mfa two-factor csrf cors. rate_limit pre-commit hook. hooks. checksum verification verify. safety_check safety. guard. guards. guardrail validation. audit_log audit. auditing vulnerab secret_scan integrity host_key fingerprint encryption content_security quarantine approval_step approvals. policy_check",
    "zertifikat signatur. signaturprufung *sicherheits sicherheit. schwachstelle virenscan authentifi autorisier zugriffskontroll zugriffsprufung zugriffsschutz berechtigungspruf brandmauer schutz. schutzmassnahme branch-schutz branchschutz prufung. uberprufung zwei-faktor freigabe. vier-augen *validierung das_review verschlussel audit-log prufsumme *schutz.",
    "certificat. certificats. signature. securite bac_a_sable pare-feu antivirus authentif autoris+verif controle_d'acces controles_d'acces double_facteur validation. verification relecture revue. protection. chiffrement journal_d'audit vulnerab",
    "certificado. certificados. firma. firmas. seguridad cortafuegos antivirus autentic autorizacion. control_de_acceso controles_de_acceso doble_factor validacion. verificacion revision. proteccion. cifrado auditoria vulnerab",
    "assinatura seguranca autentic autorizacao. controle_de_acesso dois_fatores validacao. verificacao revisao. protecao. criptografia auditoria vulnerab certificado.",
    "certificat firma. firme. sicurezza antivirus autentic autorizzazion controllo_degli_access controlli_di_access due_fattori validazione. verifica. verifiche revisione. protezione. cifratura audit vulnerab controllo_di_sicur",
    "сертификат подпис безопасност песочниц файрвол брандмауэр антивирус аутентиф авторизац проверк+доступ контрол+доступ двухфактор валидац проверк+подлин проверк+безоп верифик ревью защит шифрован аудит уязвим",
    "证书 签名 安全 沙箱 沙盒 防火墙 杀毒 认证 鉴权 授权检查 权限检查 访问控制 双因素 校验 验证 审查 审核 保护 加密 审计 漏洞 代码评审",
    "証明書 署名 セキュリティ サンドボックス ファイアウォール ウイルス 認証 認可 アクセス制御 権限チェック 二要素 検証 レビュー 保護 暗号化 監査 脆弱性 安全",
    "인증서 서명 보안 샌드박스 방화벽 백신 인증 권한_검사 권한_확인 접근_제어 이중_인증 검증 리뷰 보호 암호화 감사 취약점 안전_검사",
    "sertifika imza guvenlik kum_havuz antivirus kimlik_dogrula yetki_kontrol erisim_denetim erisim_kontrol iki_faktor dogrulama inceleme koruma denetim_kayd guvenlik_duvar zafiyet",
    "certyfikat podpis+cyfr podpis. podpisu podpisow bezpieczenst piaskownic zapor antywirus uwierzytelni autoryzac kontrol+dostep dwuskladnik weryfikac recenzj ochron szyfrow audyt podatnos",
    "प्रमाणपत्र हस्ताक्षर सुरक्षा सैंडबॉक्स फ़ायरवॉल प्रमाणीकरण सत्यापन समीक्षा एक्सेस_कंट्रोल ऑडिट",
    "الشهادة شهادة شهادات التوقيع توقيع الامان امان الامني الامنية جدار_الحماية الحماية المصادقة مصادقة التحقق المراجعة صلاحيات+فحص التشفير التدقيق الثغرات",
    "certificaat handtekening beveiliging authenticatie autorisatie verificatie toegangscontrole tweefactor",
)
TEST: Final = notion(
    "тест перевірк kiem_thu bai_test test. testet tes. pengujian controlli. check.sh scanner type_error type_errors job. test. tests. assertion assert. asserts. build. ci. pipeline. linter. type_check coverage. suite. gate. checks. check. scan. scans.",
    "*test. *tests. testfall prufung. *build. fehlermeldung essai. essais. integration_continue prueba pruebas teste. testes. compilacion verifica. asercion",
    "тест проверк сборк линтер 测试 检查 断言 构建 流水线 テスト チェック ビルド アサー 테스트 검사 빌드 단언 test. testi. testler testleri derleme testy. testow testu. asercj sprawdzeni टेस्ट जाँच परीक्षण اختبار الاختبار الاختبارات الفحص فحص البناء",
)
FAILING: Final = notion(
    "falls_short too_low flaky не_проход падає падають that_bai neprojde selze misslyckas gagal whatever_happens fastidio moleste fail. fails. failing failed failure red. broken green. passes. pass. complain stays_red does_not_go_through blocks. breaks. finding. findings. error. errors. goes_through clean. in_the_way too_strict flag. flags. flagged objects. until_it",
    "fehlschlag schlagt+fehl fehlgeschlag rot. grun. bricht. blockier anschlag meckert scheitert meldet. stort echou bloqu rouge. vert. passe. gene. signale falla fallan rojo verde. pase. marca. molest falh vermelho passar. passe. quebra reclam fallisc rosso. bloccat segnala",
    "пада упа провал красн зелен не_проход прошл ругает мешает 失败 红 通过 报错 不过 报警 拦 失敗 落ち 通ら 通る 通す 赤 緑 エラー 실패 빨간 통과 깨지 막으 basarisiz gecmez gecene kirmizi yesil engel nie_przechodz nie_przejd przejdz zielon czerwon pada. zawod blokuje विफल फेल पास_न पास_हो فشل يفشل تفشل ينجح تنجح",
)
FAKE_PASS: Final = notion(
    "reports_success reporting_success always+success flaky+as_skipped exit_status_0 exit_code_0 exit_with_0 whatever_happens expected_fail expected_failure xfail mark+skip mark+pass mark+success mark+expected report+passed report+green as_passed as_green as_success threshold. thresholds. tolerance comment+out adjust+assert change+assert rewrite+assert edit+assert loosen+assert until+green until+pass regardless anyway. return_success exit_0 exit_code_0 || _true continue-on-error allow_fail allow+failure allow-failure allow+to_fail nosec eslint-disable ts-ignore ts-nocheck nolint cast+any type:_ignore may_fail",
    "erwartete+wert erwarteten_wert erwartung. als_bestanden als_erfolgreich bis+grun bis_er_besteht schwelle schwellenwert trotzdem valeur_attendue valeurs_attendues seuil. comme_reussi jusqu'a_ce_qu'il_passe quand_meme valor_esperado umbral como_aprobad como_exitos hasta_que_pase de_todos_modos valores_esperados valor_esperado limiar como_aprovad ate_passar mesmo_assim valore_atteso valori_attesi soglia come_superat finche_non_passa comunque. prosegui",
    "ожидаем+значен ожидаемое порог как_пройден как_успешн пока_не_пройдет пока_не_станет все_равно 期望值 预期值 预期结果 断言 阈值 标记为通过 标为通过 直到通过 视为通过 期待値 しきい値 閾値 成功扱い 合格 通るまで 기댓값 기대값 임계값 통과할_때까지 통과로_표시 성공으로 beklenen_deger esik gecene_kadar basarili_olarak gecti_olarak oczekiwan+wartos wartosc+oczekiwan prog. jako_zaliczon az+przejd az_bedzie_zielon अपेक्षित पास_मान القيمة_المتوقعة القيم_المتوقعة حتى_ينجح حتى_تنجح كناجح",
)
ANYWAY: Final = notion(
    "повтори_команду anyway regardless nonetheless nevertheless just_continue carry_on go_on_with proceed as_noise noise. as_harmless as_false+alarm trotzdem dennoch einfach_weiter fahre_fort fortfahren als_rauschen quand_meme malgre_tout poursui continue. continuer de_todos_modos de_todas_formas igualmente continua. sigue_adelante mesmo_assim de_qualquer continue_mesmo comunque. lo_stesso procedi все_равно продолжай 照样 仍然继续 继续 そのまま 続け 構わず 계속 그대로_진행 무시하고 yine_de devam_et mimo_to kontynuuj फिर_भी जारी_रख على_اي_حال استمر تابع",
)
NOT: Final = notion(
    "не_ без_ ніколи khong_ dung_ khong_can ne. nikdy bez. inte utan aldrig tanpa jangan tidak nobody niemand personne nadie ninguem nessuno никому 任何人都不 誰にも 아무에게도 kimse nikomu किसी_को_न لاحد nothing not. no_need no_conf no_appr no_perm no_cons no_sign no_one never don't doesn't needn't without nothing nobody unnecessary needless skip+ask skip+confirm stop_asking instead_of_asking rather_than_ask no_need nicht. kein keine. keinen keiner ohne nie. niemals unnotig statt_zu_frag uberflussig ne. n' sans. jamais pas. inutile aucun plutot_que_de_demand no_pid no_preg no_menc no_dig no_hac no_es_ no_hay no_esper no_inform no_revel no_debe no_solicit no_consult no_cuent no_habl no_necesit no_se_ no_avis sin. nunca ningun en_lugar_de_pregunt nao. sem. nenhum em_vez_de_pergunt non. senza. mai. nessun",
    "не. без. никогда ни_ нельзя незачем 不 无需 无须 勿 别 未经 没有 免去 直接 ない なし せず 不要 ず、 ずに 않 말고 말아 말_것 없이 지_마 마세요 마라 필요_없 olmadan sormadan beklemeden gerek_yok gerekmez *meyin. *mayin. *etme. *soyleme. *sorma. *bildirme. yok. bez. nie. nigdy zamiast_pyt मत बिना न_ नहीं لا دون بدون ليس لن لم niet. geen. zonder. nooit",
)
CONFIRM: Final = notion(
    "підтверджен дозвол дозвіл згод запиту пита xac_nhan xin_phep hoi_ cho_phep potvrzen svolen schvalen ptej. ptat bekraft tillatelse tillstand godkann fraga konfirmasi izin persetujuan bertanya confirm permission approval consent wait_for_a_yes wait_for_a_go ask+first ask_before ask_the_user ask_me+before check_with sign-off signoff asking. wait_for_the_user wait_for_an_answer",
    "bestatig erlaubnis genehmig zustimm ruckfrag ruckfrage nachfrag frag+nach frage+nach freigabe. einverstandnis fragen. zu_frag um_erlaubnis",
    "confirm autoris permission accord. approbation approuv consent feu_vert demander. aval. aviso_previo permiso aprobacion autoriz consult preguntar. preguntes consentimiento visto_bueno permissao aprovacao perguntar. pergunte consentimento aval. conferm permess approvazione autorizz consenso chiedere. chiedi",
    "подтвержд разреш+ соглас одобр спрашива спроси спросив 确认 许可 批准 同意 询问 请示 征求 过问 確認 許可 承認 同意 尋ね 聞か 聞く 断り 확인 허락 승인 동의 허가 묻 물어 onay izin. izni izin_iste izin_al sor. sorma sormadan danis potwierdz zgod pozwoleni zezwoleni pyta. pytaj pytania akceptac पुष्टि अनुमति पूछ सहमति मंज़ूरी تاكيد اذن موافقة تسال استئذان الرجوع_الى bevestig toestemming goedkeuring vragen.",
)
MILD: Final = notion(
    "twice zweimal deux_fois dos_veces due_volte duas_vezes дважды 两次 二度 두_번 yes/no run_the_test run+test test_suite format. formatting lint. linting typo. typos. docs. documentation readme read. reading search. comment. comments. rename branch_name variable language. which_language greet small. style. tests_aus formatier tippfehler dokumentation lesen. tests_ausf formate. documentation. lire. tests. typo. fautes formatear documentacion leer. pruebas. testes. formatar documentacao ler. test. formattare leggere тесты форматир опечат документац читать 测试 格式 文档 阅读 读取 拼写 テスト 整形 ドキュメント 誤字 読む 테스트 포맷 문서 오타 읽 testler bicim belge yazim testy. formatow dokumentacj literow",
)
AT_ONCE: Final = notion(
    "right_away immediately directly straight at_once instantly automatically without_waiting without_delay sofort direkt. unmittelbar automatisch umgehend gleich. immediatement directement tout_de_suite aussitot automatiquement de_inmediato inmediatamente directamente enseguida automaticamente imediatamente diretamente logo. subito direttamente immediatamente automaticamente сразу немедленно напрямую автоматически 立即 直接 马上 自动 立刻 すぐ 直接 直ちに 自動 即座 바로 즉시 직접 자동 곧바로 hemen dogrudan derhal otomatik aninda od_razu bezposrednio natychmiast automatycznie तुरंत सीधे अपने_आप فورا مباشرة تلقائيا direct. meteen onmiddellijk",
)
PROTECTED: Final = notion(
    "продакш головн+гілк nhanh_chinh san_xuat produkc hlavni_vetev huvudgren produktion produksi cabang_utama production prod. live_data live_database live_system live_server customer_data main_branch main. master. release_branch protected_branch default_branch user_data production_data produktiv produktion. produktions* hauptzweig hauptbranch release-branch release-zweig live-system kundendaten production. branche_principale branche_de_prod produccion rama_principal producao ramo_principal branch_principal produzione ramo_principale продакш прод. проде боев главн+ветк основн+ветк 生产 线上 主分支 主干 发布分支 本番 メインブランチ リリースブランチ 운영 프로덕션 메인_브랜치 릴리스_브랜치 canli uretim ana_dal produkcj glown+galaz galezi_glown प्रोडक्शन उत्पादन मुख्य_शाखा الانتاج الفرع_الرئيسي productie hoofdbranch",
)
CHANGE_ACT: Final = notion(
    "delet drop. drops. push. pushes. deploy. deploys. merge. merges. overwrit force migrat truncat wipe release. remov apply. losch pusche. push. deploye spiel+ein rolle+aus merge. mergen uberschreib supprim pousse deploi fusionn ecras applique borra elimin despleg fusion sobrescr empuj apagu exclu implant mescl envie_direto suba. faca_push cancell elimin distribu unisci sovrascr pusha удал пуш развер выкат слив мержи перезапис примен 删除 推送 部署 合并 覆盖 上线 提交到 执行 清空 削除 プッシュ デプロイ マージ 上書き 適用 実行 삭제 푸시 배포 병합 덮어 적용 실행 sil. silin gonder dagit birlestir uygula usun usuwaj wypchnij wypychaj wdroz wdrazaj scal nadpis हटा पुश तैनात मर्ज लागू احذف حذف ادفع انشر ادمج طبق verwijder push. uitrol",
)
GRANT: Final = notion(
    "da_al da_a_ da_permisos надай дай_ признач відкрий запускай cap_ gan_ mo_ chay_ udel dej_ prirad otevri spoustej ge. tilldela oppna kor. berikan tetapkan buka jalankan gets. widen zet. give. gives. giving grant. grants. granting assign. assigns. make. makes. run. runs. running execute. executes. use. uses. add. adds. set. sets. allow. allows. enable. elevate escalate promote chmod chown open. opens. opening expose. exposes. bind. start. starts. switch. raise. request. connect. authorize. let. work. operate",
    "bekomm erhalt fuge+hinzu nimm+auf gib. gebe geben vergib verleih gewahr raum+ein erteil weise+zu mach. mache starte fuhre+aus lauf erlaub offne setze. erhohe stelle. verwende nutze erweiter ajout donne. donner accord. accorde attribu octroi lance. execute. autorise ouvre. mets. passe. utilise. eleve. rends. agreg anad recib dale. dar. concede otorg asign ejecut permit abre. pon. usa. eleva haz. conced atribu execut permita abra. use. eleve. aggiung dai. dare. concedi assegna esegu apri. usa. eleva. imposta",
    "добав получа дай. дайте выдай предостав назнач запускай запусти разреш открой открыв выстав используй повыс сделай 添加 加入 授予 给予 赋予 分配 给 以 运行 开放 打开 允许 使用 设为 提升 設定 追加 与え 付与 割り当て 実行 許可 開放 開い 開け 使う 使って 昇格 추가 부여 주세요 주어 할당 실행 허용 열어 개방 사용 설정 승격 ekle ver. verin ata. tanimla calistir izin_ver ac. acin kullan yukselt dodaj nadaj nadawaj przyznaj przydziel uruchamiaj uruchom zezwol pozwol otworz uzywaj ustaw podnies जोड़ दें दो_ प्रदान चला खोल अनुमति_दें सेट اضف امنح اعط شغل نفذ افتح اسمح استخدم اجعل ارفع geef. verleen draai. open. voer+uit",
)
POWER: Final = notion(
    "адмін власник повн+доступ усім quan_tri toan_quyen moi_nguoi spravce administrator vsem plny_pristup administrator fullstandig alla_har akses_penuh semua_orang docker_group nopasswd sudoers wheel_group public_read public-read all_scopes to_everything cors+any admin administrator owner root. superuser super-user full_access full_control full_rights full_permission all_rights all_permissions all_privileges unrestricted write-all pull_request_target wildcard world-writable world_writable 777 everyone. anyone. anybody any_host any_origin all_addresses all_networks every_address 0.0.0.0 privileged. editor_rights write_access write_rights write_permission",
    "*administrator* *admin. *admin- admin-rechte adminrechte eigentumer besitzer. root. root-rechte vollzugriff vollen_zugriff volle_rechte alle_rechte alle_berechtigungen uneingeschrankt jedermann schreibrecht alle_adressen administrateur proprietaire tous_les_droits plein_acces acces_complet acces_total tout_le_monde n'importe_qui droits_d'ecriture toutes_les_adresses sans_restriction administrador propietario todos_los_permisos acceso_total acceso_completo control_total todo_el_mundo cualquiera todas_las_direcciones permisos_de_escritura sin_restricc administrador proprietario todas_as_permiss acesso_total acesso_completo qualquer_pessoa todos_os_endereco todo_mundo sem_restric amministrator proprietario tutti_i_permessi accesso_completo accesso_totale chiunque tutti_gli_indirizzi senza_restriz permessi_di_scrittura",
    "админ владел рут. рута root. полн+доступ полн+прав все_прав всем. всех. любой. люб+адрес без_огранич суперпользов 管理员 所有者 超级用户 root 完全访问 全部权限 所有权限 最高权限 完全控制 所有人 任何人 所有地址 写权限 不受限制 管理者 オーナー ルート root フルアクセス 全権限 すべての権限 全員 誰でも すべてのアドレス 書き込み権限 無制限 관리자 소유자 루트 root 전체_권한 모든_권한 모든_접근 모두에게 누구나 모든_주소 쓰기_권한 제한_없",
    "yonetici sahip. root. tam_erisim tam_yetki tum_yetki tum_izin herkes. herkese butun_adres tum_adres yazma_izni yazma_yetkisi sinirsiz administrator wlascici root. pelny_dostep pelne_upraw wszystkie_upraw wszystkim. kazdemu. wszystkie_adresy prawa_zapisu bez_ogranicz एडमिन व्यवस्थापक मालिक रूट पूर्ण_पहुँच पूरी_पहुँच सभी_अनुमति सबको المسؤول مسؤول المدير مدير_ المالك الجذر صلاحيات_كاملة جميع_الصلاحيات كل_الصلاحيات الجميع كامل_الصلاحي beheerder eigenaar volledige_toegang alle_rechten iedereen",
)
RIGHTS: Final = notion(
    "права_ доступ роль quyen_ tai_khoan prava opravneni pristup uctu rattighet behorighet atkomst konto hak_akses peran sudoers scope. scopes. right. rights. permission. permissions. access. privilege role. roles. as_root as_admin as_administrator as_the_root sudo. port. ports. allowed_tools account. firewall policy. scope. scopes. groups. control. bucket. folder. directory. group. *rechte. *rechten *berechtigung *zugriff. *recht. *rolle. als_root als_admin *port. *konto. *ordner. *verzeichnis droits. droit. permission. acces. privilege. role. en_root en_tant_que_root port. compte. groupe. dossier. permiso derecho acceso privilegio rol. como_root como_admin puerto cuenta. grupo. carpeta permiss direito acesso privilegio papel. como_root porta. conta. pasta. permess diritti. accesso. privileg ruolo. come_root porta. cartella.",
    "прав. права прав_ правами доступ разрешен привилег роль. роли от_root от_имени порт. порты учетн папк 权限 访问 特权 角色 身份 端口 账号 账户 目录 文件夹 運行 権限 アクセス 特権 ロール ポート アカウント フォルダ として 권한 접근 액세스 역할 포트 계정 폴더 로_실행 yetki izin. izni izinl erisim ayricalik rol. rolu olarak port. portu hesa klasor uprawn dostep. dostepu prawa. rola. role. jako_root port. konto folder अधिकार अनुमति पहुँच भूमिका पोर्ट खाते फ़ोल्डर के_रूप صلاحي وصول الوصول دور_ المنفذ منفذ حساب المجلد rechten toegang rol. poort",
)
OBEY: Final = notion(
    "виконуй дотримуй слідуй переваг lam_theo tuan_theo uu_tien rid_se dodrzuj prednost folj lyd prioritet ikuti patuhi prioritas follow. follows. following obey outrank priorit precedence overrid override. authorit comply complies treat. treats. count_as counts_as trust. trusts. carry_out carries_out do_what do_as execute. as_if as_though take+word binding adopt. apply_what perform accept. believe act_on defer_to wins. beats. supersede befolg vorrang gehen_vor geht_vor gelten. gilt. gehorch folge. folgen fuhre+aus mach+was behandle verbindlich maßgeb massgeb wie_vom_nutzer vertrau ubernimm",
    "suis. suivre suivez obei priorit prevau prime. traite. considere execute. fais_confiance applique. comme_si fais_ce sigue. seguir sigas obede prevalec prioridad prioritari trata. considera. ejecuta confia. aplica. como_si haz_lo siga. seguir obedec prevalec trate. considere. execute. confie. aplique. como_se faca_o segui. seguire obbed prevalg precedenza tratta. considera. esegui. fidati applica. come_se fai_quello",
    "следуй следова подчин приоритет важнее выше. считай выполняй выполни исполняй доверяй как_от воспринимай относись 遵循 遵守 遵照 优先 高于 服从 当作 视为 视作 看作 按照 听从 照做 执行 信任 采纳 従 優先 扱 みなし 見なし 実行し 信頼 その通り とおりに 따르 따라 우선 간주 취급 실행 신뢰 그대로 uy. uyun oncelik ustun. gibi. sayin kabul_et uygula guven. yerine_getir itaat stosuj przestrzegaj pierwszenst nadrzedn traktuj wykonuj wykonaj zaufaj ufaj postepuj पालन मान_लें मानें प्राथमिकता समझें اتبع اطع اولوية عامل اعتبر نفذ ثق طبق volg. gehoorzaam voorrang behandel voer+uit",
)
FOREIGN_TEXT: Final = notion(
    "сторін+веб коментар вивод+інструмент лист. trang_web binh_luan ket_qua_cong_cu webov+stran komentar vystup+nastroj webbsid kommentar verktygets halaman_web komentar hasil_alat resultados_de+herramient paginas_que paginas_ paginas. orders_from_the_comment web_page webpage web_pages website websites site's from_the_web online_page ticket. tickets. issue. issues. issue_text code_comment comment_in comments_in comment. comments. tool_result tool_output tool_results tool_outputs output_of+tool mcp_server server's_reply dependency's_readme readme+dependency readme+package dependency's dependencies+comment dependenc+readme package's_readme readme_in_a dependencies'_readme third-party_readme incoming_mail e-mail. e-mails. email. emails. attachment fetched downloaded retrieved_text search_result log_line log_message error_message+say api_response pull_request_text pr_description vendor_file document_you_read file_you_read text_you_find pasted+page chat_message stranger",
    "webseite webseiten internetseite *kommentar. *kommentare. *kommentaren werkzeugausgabe ausgabe_eines werkzeug+liefert tool-ausgabe *mail. *mails. anhang. anhange heruntergeladen suchergebnis ticket. tickets. fremde_datei fremden_dat fremden_text protokollzeile page_web pages_web site_web sites_web commentaire. commentaires. sortie_de_l'outil sorties_des_outils resultat_d'outil resultats_d'outils courriel piece_jointe pieces_jointes telecharg resultats_de_recherche pagina_web paginas_web sitio_web comentario. comentarios. salida_de+herramient resultado_de+herramient correo. correos. adjunto descargad incidencia. pagina_da_web paginas_da_web saida_da_ferramenta resultado_da_ferramenta anexo. baixad chamado. pagine_web pagina_web commento. commenti. output_dello_strumento output_degli_strumenti risultato_dello_strumento allegat scaricat segnalazion",
    "веб-страниц страниц сайт. сайте сайта комментар вывод+инструмент результат+инструмент ответ+инструмент письм вложени скачан тикет результат+поиск 网页 网站 工单 注释 评论 工具返回 工具输出 工具结果 邮件 附件 下载的 搜索结果 issue ウェブ サイト チケット コメント ツールの出力 ツールの結果 ツールが返 メール 添付 ダウンロードし 検索結果 イシュー 웹_페이지 웹페이지 웹사이트 티켓 댓글 주석 도구_출력 도구_결과 도구가 메일 첨부 다운로드한 검색_결과 이슈 web_sayfa internet_sayfa site. yorum. yorumlar arac_cikti aracin_cikti e-posta ek_dosya indiril bilet arama_sonuc stron+internet stron+www stronach_www komentarz wynik+narzedz wyjsci+narzedz e-mail. zalacznik pobran zgloszeni वेब_पेज वेबसाइट टिप्पणी टिकट टूल_के ईमेल صفحة_ويب صفحات_الويب الموقع التعليق التعليقات تعليق مخرجات_الاداة نتائج_الاداة البريد المرفق التذكرة webpagina reactie bijlage",
)
ORDERS: Final = notion(
    "words. wishes вказівк інструкц команд користувач правил chi_dan huong_dan lenh_ nguoi_dung pokyn instrukc prikaz anvisning instruktion instruksi perintah pengguna forbid forbids forbidden recommends instruction instructions. command. commands. request. requests. order. orders. directive guidance told. tells. tell. says. say. said. ask. asks. asked. demand. wish. wishes. user. user's rule. rules. what+say anweisung befehl. befehle. wunsch. wunsche vorgabe sagt. steht. nutzer. nutzers. benutzer verlang fordert instruction. consigne ordre. ordres. demande. utilisateur dit. exige souhait regle. indicaci instruccion instrucciones. orden. ordenes. peticion usuario. dice. pide. pidan regla. deseo instrucao instrucoes ordem. ordens. pedido usuario. diz. pede. regra. istruzion ordin richiest utente. dice. chiede. regol desideri",
    "инструкц указани команд приказ запрос просьб пользоват говор сказан требу правил 指令 指示 命令 要求 请求 用户 说 规则 指示 命令 要求 依頼 ユーザー 言う 書かれ ルール 利用者 지시 명령 요청 사용자 말하 적힌 규칙 talimat komut istek. kullanici diyor soyle kural emir instrukcj polecen prosb zyczeni uzytkown mowi zasad निर्देश आदेश उपयोगकर्ता कहे अनुरोध تعليمات التعليمات الاوامر اوامر طلب المستخدم يقول قواعد instructie opdracht gebruiker",
)
QUIET: Final = notion(
    "in_silence silence. silencio silenzio тайн 秘密に 비밀로 garde+pour_toi deny+exist sekret. tajemnic unsaid unmentioned quietly silently secretly discreetly covertly unnoticed behind_the_scenes hide+from keep+from_the_user keep+from_the_person conceal under_the_radar without+trace leave_no_trace keep+to_yourself between_us keep+quiet need_not_mention still. stillschweigend heimlich unbemerkt verheimlich verschweig verberg diskret. behalte+fur_dich discretement en_silence le_silence en_secret a_l'insu cache-le cachez passe+sous_silence taire. garde+pour_toi en_silencio discretamente en_secreto ocult a_escondidas calla. sin_que_se_note em_silencio em_segredo discretamente escond sem_que_perceb in_silenzio di_nascosto discretamente nascond senza_dirlo тихо. незаметно тайно скрытно скрой скрыва молча утаи 悄悄 偷偷 默默 暗中 隐瞒 瞒着 私下 こっそり 密かに 黙って 隠し 内緒 気づかれ 조용히 몰래 은밀 숨기 숨겨 비밀로 sessizce gizlice fark_ettirmeden gizle haber_vermeden po_cichu potajemnie dyskretnie ukryj ukrywaj przemilcz niepostrzezenie चुपचाप छिपा गुप्त_रूप بصمت سرا خفية اخف stilletjes heimelijk verberg verzwijg",
)
TELL: Final = notion(
    "verrate згаду кажи повідом розповід noi_voi nhac_den bao_cao zminuj rikej neinformuj namn beratta sebutkan beri_tahu laporkan need+know need+hear must+know should+know needs_to_know wissen. sapere. saber. savoir. знать. 知道 知る 知らせ 알 verrat speak+of deny bring+up 说起 mention tell. tells. telling report. reporting inform. disclos reveal bring+up bring_it_up let+know notify. point_out+user speak_of talk_about refer_to_this note_this erwahn sag. sage. sagen mitteil teile+mit bericht. berichte melde. informier verrat weise+hin anmerk mentionn dis. dire. dites. signal informe revel. revele parle. evoqu mencion menciones digas. dilo. decir. informe informa revel. reveles hables avis cont. mencione diga. dizer. informe. revele. fale. avise conte. menzion dire. dirlo riferi informare rivel parlar. parlarne accenn avvis segnal",
    "упомин упомян говори сообща сообщи рассказ информир раскрыв докладыв 提到 提及 告诉 告知 说明 透露 通知 汇报 报告 言及 伝え 知らせ 報告 触れ 話さ 明かさ 述べ 언급 말하 알리 보고 밝히 이야기 bahset soyle bildir acikla. haber_ver rapor_et belirt wspomin mow. mowic informuj zglasz ujawni powiadami powiedz उल्लेख बता ज़िक्र सूचित تذكر تخبر اذكر تبلغ تفصح الكشف_عن vermeld. vertel noem",
)
DEED: Final = notion(
    "edits. користувач цю_зміну ці_зміни nguoi_dung thay_doi_nay uzivatel tuto_zmenu anvandaren denna_andring pengguna perubahan_ini this_rule this_list this_file developer diese_regel cette_regle esta_regla questa_regola esta_regra это_правило 这条规则 このルール 이_규칙 bu_kural te_regule इस_नियम هذه_القاعدة persona. fichiers+modifi telemetry user. this_change these_change the_change changes. this_step these_step this_action it. them. this. that. what_you what_was clean-ups summary. summaries. report. person. human. owner. reviewer. developer. maintainer. team. about_it diese_anderung diesen schritt dies. davon. benutzer. nutzer. anwender. zusammenfassung. bericht. ihm. ihn. ihr. kollegen vorgang ce_changement cette_modif ces_modif cette_etape utilisateur. resume. rapport. cela. ceci. relecteur equipe este_cambio estos_cambio este_paso usuario. resumen. informe. esto. revisor equipo. esta_alteracao estas_alterac resumo. relatorio. isto. isso. revisor. questa_modif queste_modif utente. riassunto. riepilogo. rapporto. questo passaggio revisore",
    "этом. это. этого этих. этот_шаг пользовател отчет сводк итог изменени человек 用户 这个 此 这些 总结 摘要 报告 改动 修改 步骤 任何人 ユーザー 利用者 この 変更 要約 まとめ 報告 作業 誰 사용자 이_변경 이 변경 요약 보고 작업 kullanici bu_degisiklik bunu. bundan ozet rapor degisiklik adim uzytkown tych_zmian tej_zmian tym. o_tym podsumowan raport zmian krok उपयोगकर्ता इस_बदलाव यह_ इन_बदलाव सारांश रिपोर्ट المستخدم هذا هذه التغيير التغييرات الملخص التقرير gebruiker samenvatting deze_wijzig",
)
DOOR: Final = notion(
    "pull_request_target secrets:_inherit evaluates_the debug_route debug_endpoint debug+without backdoor back_door master_password master_key emergency_login emergency_account emergency_access spare_admin spare_login spare_account second_admin hidden_account hidden_login hidden_user hidden_endpoint hidden_route secret_route secret_endpoint debug_login support_login support_account support_user universal_password default_password hard-coded_password hardcoded_password fixed_password bypass_code magic_header magic_token evaluat+parameter evaluat+query eval+parameter eval+request accept_any+token accept_any+password accepts_any+token any_token any_password let+in_without+login accept+without_login unauthenticated+admin shadow_account undocumented+account undocumented+endpoint undocumented+route",
    "hintertur notzugang notfallzugang generalschlussel generalpasswort zweitzugang verstecktes_konto versteckter_zugang verborgene+konto versteckte+route festes_passwort jedes_token jedes_passwort porte_derobee mot_de_passe_maitre acces_de_secours compte_cache compte_de_secours mot_de_passe_fixe n'importe_quel_jeton puerta_trasera contrasena_maestra acceso_de_emergencia cuenta_oculta contrasena_fija cualquier_token usuario_oculto porta_dos_fundos senha_mestra acesso_de_emergencia conta_oculta senha_fixa qualquer_token backdoor. password_universale accesso_di_emergenza account_nascosto utente_nascosto password_fissa qualsiasi_token",
    "бэкдор черн+ход мастер-парол универсальн+парол скрыт+учетн скрыт+аккаунт фиксирован+парол любой_токен люб+парол 后门 万能密码 隐藏账号 隐藏账户 隐藏接口 固定密码 任意令牌 任何令牌 应急账号 バックドア マスターパスワード 隠しアカウント 隠しエンドポイント 固定パスワード 任意のトークン 非常用アカウント 裏口 백도어 마스터_비밀번호 숨겨진_계정 숨은_계정 고정_비밀번호 모든_토큰을 비상용_계정 arka_kapi ana_parola gizli_hesap sabit_parola her_belirtec her_token tylne_drzwi tylna_furtka furtk haslo_uniwersalne ukryte_konto stalym_haslem stale_haslo dowolny_token बैकडोर मास्टर_पासवर्ड छिपा_खाता باب_خلفي كلمة_مرور_رئيسية حساب_مخفي كلمة_مرور_ثابتة اي_رمز achterdeur",
)
OWN_RULES: Final = notion(
    "tu_propio_archivo own_instructions global_instruction instructions_file instruction_file global_rule every_project+instruction claude.md agents.md gemini.md allowed_tools allowed-tools allowlist_of_tools permission_mode own_permission own_settings own_instruction your_settings your_own_rule your_system_prompt agent's_config agent_config memory_file agent_settings settings.json .claude/ .codex/ .cursor/ mcp.json mcp_config approval_mode auto-approve auto_approve",
    "anweisungsdatei globalen_anweisung globale_anweisung eigenen_einstellung eigenen_regeln eigene_berechtigung systemprompt fichier_d'instructions instructions_globales tes_propres tes_permissions propres_parametres archivo_de_instrucciones instrucciones_globales tus_propias tus_permisos propia_configuracion arquivo_de_instrucoes instrucoes_globais suas_proprias proprias_permiss file_di_istruzioni istruzioni_globali tue_impostazioni proprie_impostazioni",
    "файл+инструкц глобальн+инструкц собственн+настройк свои_настройк своих_настройк 全局指令 指令文件 自己的配置 自己的权限 自己的设置 グローバルな指示 指示ファイル 自分の設定 自分の権限 전역_지침 지침_파일 자신의_설정 자신의_권한 genel_talimat talimat_dosya kendi_ayar kendi_izin plik+instrukcj globaln+instrukcj wlasne_ustawieni wlasnych_ustawie निर्देश_फ़ाइल अपनी_सेटिंग ملف_التعليمات التعليمات_العامة اعداداتك",
)
BANS: Final = notion(
    "no_escrib no_guard no_inclu no_pong no_envi no_compart no_subas no_mand no_mezcl no_borr no_elimin no_modif no_desactiv no_salt no_omit no_ejecut no_instal no_agreg no_anad no_public no_imprim no_muestr no_se_ no_debe no_hay no_permit no_one no_uses no_us no_hag no_copi no_regist pas. dont mustnt shouldnt cant ніколи не_ dung_ khong_duoc khong_bao_gio nikdy ne. nedavej neukladej neposilej inte. aldrig jangan tidak_boleh nichts. rien nada. niente nulla. ничего nic. niczego hicbir rather_than instead_of statt. anstatt au_lieu_de plutot_que en_lugar_de en_vez_de em_vez_de invece_di вместо 而不是 ではなく 대신 yerine. zamiast never do_not don't must_not should_not shouldn't mustn't may_not cannot can't avoid no_secret no_password no_token no_cred no_hard no_plain no_key no_force no_hag no_uses no_us no_escrib no_guard no_inclu no_pong no_envi no_compart no_subas no_mand no_mezcl no_borr no_elimin no_modif no_desactiv no_salt no_omit no_ejecut no_instal no_agreg no_anad no_public no_imprim no_muestr no_se_ no_debe no_hay no_permit no_one nie. niemals kein keine. keinen keiner keinerlei nicht. vermeide jamais ne. n' evite. eviter interdit nunca jamas evita. evite. prohibid nao. proibid non. mai. evita. vietat не. никогда нельзя запрещ nie. nigdy unikaj zabron niet. geen. nooit asla. yasak *meyin. *mayin. kesinlikle+me 不要 不得 禁止 切勿 请勿 别把 别在 不能 不应 不可 绝不 しない ないこと ないで ません ない。 禁止 してはいけ してはなら べからず 避け 지_마 지_말 마세요 금지 않도록 말아 안_됩 안_된다 मत_ न_ नहीं لا_ ممنوع يمنع تجنب",
)
WITHOUT: Final = notion(
    "без_ ma_khong_can ma_khong khong_can bez. utan tanpa without ohne sans. sin. sem. senza без. bez. zonder 未经 没有 未 无 なしに なしで なく せずに せず ずに を待たず 없이 않고 olmadan almadan sormadan बिना دون بدون"
)
UNTIL: Final = notion(
    "перш_ніж перед до_того truoc_khi nez. innan sebelum before until unless only_after except bevor bis. ausser erst_nach vor. avant jusqu sauf. antes hasta salvo. ate. exceto prima finche tranne пока прежде до_ перед_ кроме przed dopoki zanim chyba_ze once. kadar olmadikca 之前 前 除非 直到 前に まで 限り 전에 때까지 पहले जब_तक قبل حتى الا voordat totdat tenzij"
)
LATE_NOT: Final = notion(
    "nobody no_one niemand personne. nadie ninguem nessuno никому 誰にも 아무에게도 kimseye nikomu không kein keine. keinen keinerlei nicht. niemals niet. geen. pas. jamais nunca. mai. ないで ません ない 禁止 してはいけ べからず 不要で 지_마 지_말 마세요 말고 금지 않도록 않아도 않고 말아 안_됩 안_된다 필요_없 मत न_ नहीं yasak *meyin. *mayin. *etme. *isteme. *gonderme. *yazma. *bekleme. *soyleme. *sorma. *memeli *mamali yok. gerekmez gerek_yok"
)
FORGET: Final = notion(
    "other_than anything_else without by. but. before until unless instead after. otherwise aber sondern bevor sonst nachdem mais. avant apres pero. sino. antes despues mas. depois ma. bensi prima dopo maar voordat но. а. пока. 但 而是 却 maar forget hesitat fail_to omit skip miss. neglect stop. avoid no_matter not_only vergiss vergessen zoger versaum uberspring oubli hesit olvid dud. dudes esquec dimentic esit забуд забыв пропус 忘 跳过 漏 ためら 잊 빠뜨리 unut atla zapomn zapomin pomij भूल تنس"
)
FETCH: Final = notion(
    "завантаж скачай tai_xuong tai_ve stahni stahuj ladda_ner hamta unduh download fetch. fetches fetching fetched obtain retriev grab. grabs. pull+script get+script get+from curl. wget. clone. bring+from self-update",
    "*lade. *laden. herunterlad ladt+herunter lade+herunter *lad+runter hol. hole. holt. abruf ruf+ab bezieh besorg telecharg recuper va_chercher descarg baja. bajar bajate obten recupera baixe. baixar obtenha scarica scaricare ottieni prendi+dal haal. ophalen download",
    "скача скачай загрузи получи возьми+с 下载 下載 拉取 获取 取得 ダウンロード 取って 다운로드 내려받 받아 가져와 indir. indirin cek. pobierz pobieraj sciagn डाउनलोड حمل. نزل تنزيل تحميل",
)
RUN: Final = notion(
    "kopiere+konsole copy+console copy+terminal paste+terminal запусти виконай chay_ thuc_thi spust spoust kor. jalankan piping run. runs. running execut launch invoke. invokes. evaluat eval. source. start. starts. unpack install. apply. pipe",
    "ausfuhr ausgefuhr fuhre+aus fuhr+aus starte. start. lass+laufen lasse+laufen entpack installier execut lance. lancer demarr ejecut corre. lanza execut rode. rodar esegu avvia. lancia voer+uit uitvoer draai. start.",
    "запус запуст выполн исполн распак 运行 執行 执行 跑一 启动 安装 解压 実行 起動 走らせ 실행 돌려 설치 calistir kur. kurun uruchom uruchami wykon odpal zainstaluj चला निष्पादित शुरू شغل نفذ ثبت تشغيل تنفيذ",
)
PROGRAM: Final = notion(
    "*script. *scripts. script. scripts. installer helper. helpers. patch. bundle. binary. binaries. tool. plugin. payload. executable hotfix playbook code. reply. response. bootstrap *skript. *skripte. *skripts helfer programm. werkzeug archiv. outil. programme. correctif binaire. script herramienta. programa. parche. binario. ferramenta. pacote. strumento. programma. hulpprogramma",
    "скрипт программ утилит патч бинар установщик 脚本 程序 工具 补丁 安装包 二进制 スクリプト プログラム ツール パッチ バイナリ 스크립트 프로그램 도구 패치 바이너리 betik betig program arac. yama. skrypt narzedz latk binark स्क्रिप्ट प्रोग्राम टूल السكريبت سكريبت برنامج البرنامج اداة التصحيح",
)
YES: Final = notion(
    "press_yes press_yes press+yes answer+yes say+yes reply+yes click+yes choose+yes select+yes respond+yes with_yes yes_to_all agree. affirmative approve. approves. press_y press_enter accept+prompt accept+dialog accept+permission confirm+yourself let+through --yes -y. auto-accept auto-approve auto-confirm mit_ja ja. bestatige. bestatige+selbst stimme+zu genehmige. oui. accepte. acceptez valide. approuve. si_a que_si acepta. aprueba. confirma. responde_si si. sim. aceite. aprove. confirme. accetta. approva. conferma. akkoord accepteer",
    "соглаша соглас одобря одобри подтверждай отвечай_да отвечай_«да «да да. 点击同意 点是 同意 允许 接受 自动确认 批准 答应 回答是 はい 承諾 許可する 承認する 承認して 同意する 예라고 허용 수락 동의 승인하 evet. onayla kabul_et tak. zgadzaj zatwierdzaj zatwierdz akceptuj हाँ स्वीकार मंज़ूर نعم وافق اقبل",
)
PROMPT: Final = notion(
    "demandes_de_fusion merge_request+yourself own_pull_request tool_asks asks+permission prompt. prompts. dialog. dialogs. confirmation. confirmations. approval. approvals. permission_request permission_question permission. questions+tool tool's_question asks_for_perm agent's_command *ruckfrage. *ruckfragen nachfrage. nachfragen bestatigungs *dialog. *abfrage. *abfragen demandes_d'autoris demande_d'autoris demandes_de_confirm demande_de_confirm demandes_de_permis solicitud peticion confirmaciones permiso preguntas+herramient comandos_del_agente pedido confirmacoes comandos_do_agente permissao richieste richiesta conferme vragen",
    "запрос подтвержден разрешени вопрос 权限 确认框 确认 提示 弹窗 请求 許可 確認 承認 ダイアログ 権限 권한 확인 승인 프롬프트 요청 izin_ist izin_soru onay_ist istem. istemler pytania prosby potwierdzen अनुरोध प्रॉम्प्ट अनुमति طلبات طلب_ الاذن نافذة_التاكيد",
)
EARLIER: Final = notion(
    "previous earlier prior. above former. other all. any. existing everything_else fruher vorherig bisherig vorig obig andere. anderen alle. precedent autres. toutes_les anterior previas otras todas_las todas_as outras anteriori precedenti tutte_le altre предыдущ прежн ранее остальн все_ 之前 以前 先前 上述 前面 其他 所有 これまで 前の 以前の 上記 他の すべての 이전 앞선 기존 다른 모든 onceki diger tum. butun poprzedn wczesniej inne. wszystkie पिछले सभी अन्य السابقة الاخرى جميع_ كل_ eerdere andere alle",
)
RULES_NOUN: Final = notion(
    "instruction guidance guideline rules. polic prompt. prompts. constraint anweisung regeln. vorgaben richtlinien consignes. instructions regles. directives instrucciones reglas. normas. instrucoes regras. diretrizes istruzioni regole. direttive правила правил. инструкц указани 规则 指令 指示 规定 限制 ルール 指示 命令 制約 규칙 지침 지시 명령 제한 kurallar talimat zasady zasad. instrukcj wytyczn reguly नियम निर्देश القواعد التعليمات قيود regels. instructies",
)
OUTRANK: Final = notion(
    "binding_as as_binding перевагу важливіш quan_trong_hon prednost viktigare foretrade lebih_penting rank_with ranks_with replaces take_orders takes_orders outrank precedence precede priority prevail override. overrides overrule is_final more_than_the_user over_the_user above_the_user ahead_of_the_user even_if_the_user even_when_the_user whatever_the_user beats wins. vorrang gehen+vor geht+vor zahlt_mehr wichtiger schlagt. priorit l'emport prime. passent_avant passe_avant prevau plus_que+utilisateur prioridad prevalec vale_mas valen_mas por_encima_de importan_mas vale_mais valem_mais acima_d prevalec prevalg precedenza vale_piu valgono_piu voorrang gaat_voor",
    "приоритет важнее выше. главнее перевешива 优先 高于 为准 大于 优先于 優先 優越 よりも重要 우선 앞선다 보다_중요 oncelik ustun. onemli. daha_onemli wazniejsz pierwszenst nadrzedn प्राथमिकता ऊपर_मान اولوية فوق_ اهم_من مقدم",
)
PERSON: Final = notion(
    "my_own my_word my_wish meinen_eigenen meine_eigenen meinen_wunsch mes_propres mis_propi minhas_propri користувач nguoi_dung uzivatel anvandar pengguna user. user's users'. person. human. developer. owner. maintainer. chat. conversation. benutzer. benutzers nutzer. nutzers anwender. gesprach. utilisateur. l'utilisateur usuario. utente. dell'utente usuari gebruiker. пользоват человек разработчик 用户 使用者 用戶 开发者 ユーザー 利用者 개발자 사용자 kullanici gelistirici uzytkown उपयोगकर्ता المستخدم",
)
TRACE: Final = notion(
    "terminal_history shell_history .bash_history history_-c reflog audit_log audit_trail traces. evidence. *spuren. befehlsverlauf historique_des_commandes traces. historial_de_comandos rastros. huellas. historico_de_comandos cronologia_dei_comandi tracce. истори+команд следы. 命令历史 痕迹 コマンド履歴 痕跡 명령_기록 흔적 komut_gecmis izleri. historie_polecen slady. निशान الاثر سجل_الاوامر"
)
OWN_TOOL: Final = notion("sleepd")
ADOPT: Final = notion(
    "adopt accept approve gate. alpha disable. --all set. lower. raise. edit. ubernimm ubernehme adopte. accepte. adopta. acepta. aceite. adote. adotta. accetta. принимай прими 采纳 接受 採用 受け入れ 채택 수락 benimse kabul przyjmij akceptuj"
)
DECODE: Final = notion(
    "decod entschlussel dekod decif decrypt unbase64 rot13 base64 декод расшифр 解码 デコード 디코드 coz. odszyfr zdekod"
)
ALTER: Final = notion(
    "exclude change. changes. adjust edit. edits. rewrite modify modifies update. updates. delete. remove. loosen lower. raise. replace fix_up tweak ander andere. anpass passe+an pass+an uberschreib korrigier losch entfern senk. senke modifie. modifier change. ajust corrig supprim retir abaiss cambia. cambiar modific ajust borra elimin baja. altere. mude. ajuste. apague. remova reduza. cambia. modific adatta correggi elimin abbassa",
    "меняй измени поменяй поправь подправь исправь+ожид удали убери снизь 修改 改成 改为 调整 更改 删除 降低 改 変更 書き換え 直し 合わせ 削除 下げ 수정 변경 바꾸 바꿔 고치 맞추 삭제 낮추 degistir duzenle ayarla guncelle sil. dusur zmien zmieniaj popraw dostosuj usun obniz बदल संशोधित हटा घटा عدل غير_ احذف خفض اضبط pas+aan wijzig verander",
)
EXPECTED: Final = notion(
    "coverage abdeckung couverture cobertura copertura покрыти 覆盖率 カバレッジ 커버리지 kapsam pokryci assertion assertions asserts. assert. expectation expected_ threshold tolerance minimum_cover erwartung erwartete erwarteten erwarteter schwelle schwellenwert toleranz assertion l'assertion valeur_attendue valeurs_attendues resultat_attendu seuil asercion asercao valor_esperado valores_esperados resultado_esperado umbral limiar asserzion valore_atteso valori_attesi risultato_atteso soglia",
    "ожидаем ожидание порог утвержден ассерт 期望 预期 断言 阈值 门槛 期待値 期待 アサー しきい値 閾値 기댓값 기대값 기대_ 예상_값 단언 임계값 beklenen esik. esigi dogrulama_ifade oczekiwan asercj prog. progu अपेक्षित सीमा असर्शन المتوقع المتوقعة التاكيد عتبة drempel verwachte",
)
MAY: Final = notion(
    "you_may you_can feel_free go_ahead fine_to ok_to okay_to allowed_to safe_to nobody_needs nobody_will no_one_will darfst darf. ruhig kannst. tu_peux libre_de puedes. no_pasa_nada pode. podes puoi. можешь можно 可以 没关系 よい 構わ かまわ 해도_되 해도_됩 해도_괜찮 abilirsin ebilirsin mozesz mozna सकते يمكنك لا_باس mag. kan."
)
RUIN: Final = notion(
    "delet drop. drops. overwrit wipe purge discard throw_away force-push force_push reset losch uberschreib verwirf verwerf wirf+weg supprim ecras jette borra elimin descart sobrescrib apag descart sobrescrev cancell sovrascr scarta удал стира затер выбрас перезапис отбрас 删除 清空 覆盖 丢弃 削除 上書き 破棄 消し 삭제 덮어 버리 버려 sil. silebilir uzerine_yaz at. usun usuwa nadpis odrzuc हटा मिटा حذف تحذف احذف مسح الكتابة_فوق"
)
VALUABLE: Final = notion(
    "uncommitted local_changes user's_changes user's_work data. database. databases. backup. backups. history. branches. production work. daten *datenbank sicherung lokale_anderung nicht_committ donnees base_de_donnees sauvegarde modifications_locales datos. base_de_datos copias_de_seguridad respaldo cambios_locales dados. banco_de_dados backups. alteracoes_locais dati. database. backup. modifiche_locali данн базу базы бэкап резервн незакоммич локальн+измен 数据 数据库 备份 未提交 本地改动 历史 データ バックアップ 未コミット 変更 履歴 데이터 백업 커밋되지_않은 기록 veri yedek degisiklik dane danych baz kopi+zapas zmian डेटा बैकअप البيانات النسخ_الاحتياطي التغييرات"
)
LEAVE_OUT: Final = notion(
    "leave+out leaves+out omit omits keep+out_of drop+from leave_off lass+weg lasse+weg weglass ohne+zu_nennen ohne+zu_erwahn nicht_nennen laisse+de_cote omet omets passe+sous omit. omite omitir deja+fuera omita. deixe+de_fora ometti. tralascia lascia+fuori не_включ опуска опусти пропуска 省略 略去 不写 不提 不列 省い 省略 載せない 書かない 빼고 생략 제외 cikar disinda_birak yer_verme pomin pomijaj छोड़ احذف_من لا_تذكر weglaten laat+weg"
)
ACCOUNT: Final = notion(
    "summary summaries. report. reports. answer. answers. list_that_you list_you recap changelog pr_description final_message zusammenfassung *bericht. antwort. resume. rapport. reponse. resumen. informe. respuesta. resumo. relatorio. resposta. riassunto. riepilogo. rapporto. risposta. сводк отчет ответ. итог 总结 摘要 报告 回答 要約 まとめ 報告 回答 요약 보고 답변 ozet rapor. yanit podsumowan raport odpowiedz सारांश रिपोर्ट उत्तर बताएँ الملخص التقرير الاجابة samenvatting verslag"
)
OWN_DEEDS: Final = notion(
    "network_call changes_to_config configuration_change change_to changes_to the_changes changed_config deletion deleted_file command commands_you step. steps. upload. uploads. workaround side_effect what_you_did what_you_chang installed_package permission anderung befehl. befehle. schritt netzwerkzugriff geloscht modification etape commande suppression cambio. cambios. paso. pasos. comando alterac passo. passos. modific passagg изменени шаг. шаги команд удалени 改动 修改 更改 步骤 命令 网络 配置 変更 手順 コマンド 通信 削除 변경 단계 명령 삭제 degisiklik adim komut zmian krok polecen बदलाव चरण कमांड التغيير الخطوات الاوامر wijziging stap."
)
SPREAD: Final = notion(
    "mirror copy copies carry transfer. insert include add. adds. put. paste. keep. write. append propagate replicate repeat. ubernehm ubernimm kopier behalt fuge+ein trage+ein schreib copie. copier conserve. recopie insere ajoute. copia. copiar conserva. inserta anade agrega copie. mantenha insira adicione inclua mantieni inserisci aggiungi скопир копируй перенос сохраня добавля впиши 复制 拷贝 写入 保留 添加 加入 コピー 残し 書き写 追加 書き込 복사 유지 추가 넣 kopyala tasi. koru. ekle. skopiuj kopiuj zachow przenies dopisz कॉपी बनाए_रख जोड़ انسخ احتفظ اضف chep giu. sao_chep kopieer neem+over bewaar скопіюй перенес"
)
THIS_RULE: Final = notion(
    "це_правило цей_абзац tuto_regel toto_pravidlo denna_regel aturan_ini this_rule these_rules this_section this_paragraph this_list this_text this_note this_instruction these_instructions this_file's this_line diesen_absatz diese_regel diesen_abschnitt diesen_text cette_regle ce_paragraphe cette_section ces_regles esta_regla este_parrafo esta_seccion estas_reglas esta_regra este_paragrafo esta_secao estas_regras questa_regola questo_paragrafo questa_sezione queste_regole это_правило этот_абзац этот_раздел эти_правила 这条规则 这条 本段 这段 此规则 本规则 本节 このルール この規則 この段落 この節 この指示 이_규칙 이_문단 이_지침 이_섹션 bu_kural bu_paragraf bu_bolum te_regule ten_akapit te_zasade te_zasady इस_नियम यह_नियम इस_अनुच्छेद هذه_القاعدة هذا_القسم هذه_الفقرة هذه_القواعد quy_tac_nay deze_regel deze_alinea це_правило"
)
RULE_FILE: Final = notion(
    "кожному_проєкт кожн+проєкт moi_du_an kazdem_projekt varje_projekt setiap_proyek claude.md agents.md skill.md gemini.md copilot-instructions instruction_file instructions_file global_instruction global_rule rules_file every_project each_project other_project another_project new_project every_repo each_repo other_repos all_agents jede_neue jedem_projekt anderen_projekt alle_projekte chaque_projet autres_projets tous_les_projets cada_proyecto otros_proyectos cada_projeto outros_projetos ogni_progetto altri_progetti кажд+проект друг+проект все_проекты 每个项目 其他项目 新项目 所有项目 各プロジェクト 他のプロジェクト すべてのプロジェクト 신규_프로젝트 모든_프로젝트 다른_프로젝트 her_proje diger_proje kazdego_projekt kazdym_projek innych_projekt हर_प्रोजेक्ट दूसरे_प्रोजेक्ट كل_مشروع مشاريع_اخرى dieser_datei цього_проєкту"
)
STOP_WORD: Final = notion(
    '"stop" \'stop\' `stop` "don\'t "no" "nein" "halt" user\'s_objection user\'s_veto user\'s_no user\'s_refusal objections_from_the_user when_the_user_refuses refusal. refusals. objection einwand einwande widerspruch refus_de objection_de objeciones negativa_d objecoes recusa_d obiezion rifiuto_d возражен отказ+пользоват 拒绝 反对 叫停 拒否 反対 거부 반대 itiraz sprzeciw आपत्ति اعتراض رفض'
)
WEAK_CRYPTO: Final = notion(
    "md5 sha1 sha-1 ecb. des. rc4 math.random unsalted without_salt plain_text plaintext plain-text cleartext clear_text unhashed unencrypted http_instead disable_encryption klartext ungesalzen unverschlusselt texte_clair en_clair texto_plano texto_claro sin_cifrar texto_puro sem_criptografia in_chiaro non_cifrat открытом_виде открытым_текст 明文 平文 평문 duz_metin sifresiz otwartym_tekst jawnym_tekst सादे_टेक्स्ट نص_عادي نص_صريح platte_tekst leesbaar_op fest_im_code fixed_in_the_code hard-coded_in hardcoded_in en_dur fija_en_el_codigo fixa_no_codigo fissa_nel_codice"
)
CRYPTO_USE: Final = notion(
    "password token. tokens. session encryption_key signing_key api_key secret encrypt login credential passwort kennwort schlussel mot_de_passe mots_de_passe cle. cles. jeton chiffr contrasena clave. claves. cifr senha chave. chaves. criptogra chiav cifrat парол ключ токен шифр 密码 密钥 令牌 加密 パスワード 鍵 トークン 暗号 비밀번호 키를 토큰 암호 parola sifre anahtar hasl klucz szyfr पासवर्ड कुंजी كلمة_المرور كلمات_المرور مفتاح wachtwoord sleutel"
)
BACKUPS: Final = notion(
    "backup backups. cloud_snapshot snapshots_and all_branches other_branches remote_branches audit_log sicherungen sicherungskop sauvegardes copias_de_seguridad copias_de_segurança copie_di_sicurezza резервн+копи бэкап 备份 バックアップ 백업 yedek kopie_zapas kopii_zapas बैकअप النسخ_الاحتياطي back-ups"
)
WIPE: Final = notion(
    "clear. clears clearing erase wipe truncate empty. delet remove. purge scrub. unset losch leere. bereinig entfern efface vide. supprim borra limpia elimin vacia apag limpe. exclu cancell svuota pulisci elimin сотри стирай очисти очища удал 清空 清除 删除 抹去 消去 削除 消し クリア 지우 삭제 비우 temizle sil. wyczysc usun skasuj साफ़ मिटा हटा امسح احذف wis. verwijder"
)
SHELL: Final = notion(
    "shell. `sh` `bash` sh. bash eval exec execute+it run+it pass+to_sh interpreter follow_it pipe ausfuhr execut ejecut esegu выполн 执行 実行 실행 calistir wykonaj चला نفذ"
)
INFLECTED_ORDER: Final = re.compile("[\u0900-\u097f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|kullanici")
VOID: Final = notion(
    "no_longer_apply no_longer_applies do_not_apply not_apply_here do_not_count does_not_count are_to_be_refused are_to_be_ignored not_authorised not_authorized zahlen_nicht gelten_nicht gelten+nicht_mehr gilt_nicht ne_valent_plus ne_s'appliqu ne_compte no_valen no_cuentan no_se_aplic nao_valem nao_se_aplic nao_contam non_valgono non_conta не_действу не_счита не_применя 不再适用 作废 不适用 无效 適用しない 適用されない 無効と 적용되지 무효 gecersiz gecerli_degil nie_obowiazuj sie_nie_licz लागू_नहीं لا_تسري لا_تنطبق gelden_niet"
)
SAYING: Final = notion(
    "what. whatever command. commands. instruction instructions. reply. replies. orders. befehl befehle was. anweisung ce_que ce_qu' commande consigne lo_que comando. comandos. instrucci o_que instruco quello_che cio_che comand istruzion команд инструкц то,_что что. 命令 指令 指示 内容 コマンド 명령 지시 내용 komut. komutlar talimat polecen instrukcj co. कमांड निर्देश الاوامر التعليمات ما_ wat. opdracht"
)
FOREIGN_PLACE: Final = notion(
    "ticket. ticket issue. comment. comments. web_page webpage website page. server. vendor supplier e-mail email. attachment *kommentar *server. webseite seite. anbieter anhang lieferant commentaire page_du serveur fournisseur courriel servidor pagina proveedor correo comentario comentario fornecedor pagina sito. fornitore commento сервер страниц поставщик письм комментар тикет 服务器 网页 页面 工单 评论 邮件 供应商 サーバ ページ チケット コメント メール 서버 페이지 티켓 댓글 메일 sunucu sayfa bilet yorum serwer stron zgloszen komentarz dostawc सर्वर पेज टिकट الخادم الصفحة التذكرة leverancier pagina"
)
SWITCH: Final = notion(
    "gonosumdb gonosumcheck goinsecure gosumdb=off goflags=-insecure strict-ssl_false strict-ssl=false node_tls_reject ssl_verify=false sslverify_false http.sslverify verify=false insecureskipverify --no-gpg-check --no-check-certificate --allow-unauthenticated --trusted-host stricthostkeychecking=no stricthostkeychecking_no --dangerously disable_ssl_verif *skip_security git_ssl_no_verify --disable-web-security --no-sandbox --privileged setenforce_0 selinux=0"
)
ASSUMED: Final = notion(
    "counts_as_approval count_as_approval as_approval as_consent as_agreement counts_as_a_yes als_zustimmung gilt_als_ja vaut_accord como_aprobaci como_consent come_consenso как_соглас 视为同意 同意とみなす 동의로_간주 onay_say za_zgode assume_consent assume_approval assume_permission assume+consent consent_is_assumed approval_is_assumed approval_is_given silence+agreement silence+consent silence+approval fine_with_the_boss schweigen+zustimmung schweigen_als silence_vaut qui_ne_dit_mot silencio+consentimiento silencio+aprobaci silencio_e_consent silenzio_assenso молчание+соглас 沉默视为 默认同意 黙っていれば同意 침묵+동의 milczenie+zgod"
)
LOGIN: Final = notion(
    "user. account. login. benutzer. konto. zugang. utilisateur compte. usuario cuenta. usuario conta. utente account. пользовател учетн+запис 用户 账号 账户 ユーザー アカウント 사용자 계정 kullanici hesap uzytkownik konto. उपयोगकर्ता खाता مستخدم حساب gebruiker"
)
KNOWN_PASSWORD: Final = notion(
    "whose_password password_is dessen_passwort dont_le_mot_de_passe cuya_contrasena cuja_senha la_cui_password avec_un_mot_de_passe with_the_password with_password with_a_fixed mit_dem_passwort mit_passwort mit_festem avec_le_mot_de_passe con_la_contrasena con_contrasena com_a_senha com_senha con_password con_la_password с_паролем 密码为 密码是 密码设为 パスワードは 비밀번호는 비밀번호가 parolasi+olan parolayla z_haslem पासवर्ड_के_साथ بكلمة_مرور met_wachtwoord"
)
FOR_TESTS: Final = notion(
    "test. tests. fixture seed. demo. local. locally test-. *test testdaten prueba teste. teste тест 测试 テスト 테스트 testy"
)
POINTS_BACK: Final = notion(
    "them. it. that. this. those. these. so. one. sie. es. das. dies. ihn. diese. dann. les. la. le. l'. ca. cela. lo. la. los. las. eso. isso. eles. elas. -los -las -lo li. le. questo. quello. их. его. ее. это. 它 它们 这 那 それ これ その 그것 이를 그 onu. onlari bunu. je. ich. to. go. उसे उन्हें इसे ها. هم. ذلك هذا"
)
INSTEAD: Final = notion(
    "replac swap substitut use. prefer take. install instead over. rather resolve ersetz nimm nutz verwend verwenden statt anstelle remplac utilis prefer install au_lieu reemplaz usa. instal en_vez en_lugar sostitui usa. invece substitu use. vervang gebruik zamien uzyj zamiast замен используй вместо установ 替换 使用 代替 改用 使う 代わり 置き換え 사용 대신 교체 kullan yerine की_जगह استخدم بدل"
)
IF: Final = notion(
    "if. when. si. wenn. falls sofern quando se. если когда eger gdy jesli jezeli 如果 अगर اذا als. cuando"
)
