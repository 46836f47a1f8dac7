#include "tidegate/app/doctor.h"

#include <cstdlib>

#include "tidegate/base/hash.h"
#include "tidegate/base/text.h"
#include "tidegate/store/gcs/gcs_object_store.h"
#include "tidegate/store/s3/s3_bucket_settings.h"
#include "tidegate/store/s3/s3_object_store.h"

namespace tidegate::app {
namespace {

constexpr std::string_view kLifecycleAdvice =
    "give the bucket a lifecycle rule AbortIncompleteMultipartUpload, or parts of writes that died cost money for good";

class Doctor {
 public:
  Doctor(const DoctorOptions& options, const std::function<void(const Check&)>& on_check)
      : options_(options), on_check_(on_check) {}

  std::vector<Check> Run(const std::string& url, const StoreAccess& access) {
    auto opened = OpenStore(url, OpenMode::kMustExist, access);
    if (!opened.ok()) {
      Add({"open", CheckState::kBad, opened.status().message(), ""});
      return std::move(checks_);
    }
    store_ = *std::move(opened);
    bucket_ = dynamic_cast<const store::S3ObjectStore*>(&store_->Backend());
    if (bucket_ != nullptr && !CheckIdentity()) return std::move(checks_);
    const bool listed = CheckList();
    if (bucket_ != nullptr) CheckServer();
    if (listed) CheckRead();
    CheckWrite();
    if (bucket_ != nullptr) CheckSettings();
    return std::move(checks_);
  }

 private:
  void Add(Check check) {
    on_check_(check);
    checks_.push_back(std::move(check));
  }

  void AddFailure(const std::string& name, const Status& status, const std::string& advice = "") {
    Add({name, CheckState::kBad, status.message(), advice});
  }

  bool CheckIdentity() {
    const auto& provider = bucket_->client().settings().credentials;
    const auto keys = provider->Get();
    if (!keys.ok()) {
      AddFailure("identity", keys.status().WithContext(provider->Describe()),
                 "docs/identities.md tells where keys are looked for");
      return false;
    }
    std::string found = provider->Describe();
    if (*keys && (*keys)->expires) found += ", until " + FormatRfc3339(*(*keys)->expires);
    Add({"identity", CheckState::kGood, found, ""});
    return true;
  }

  bool CheckList() {
    const auto listing = store_->List({.prefix = "", .max_entries = 20});
    if (!listing.ok()) {
      AddFailure("list", listing.status());
      return false;
    }
    for (const store::ObjectInfo& object : listing->objects) {
      if (!sample_ && store::CanBeRead(object.archive)) sample_ = object;
    }
    Add({"list", CheckState::kGood, listing->objects.empty() ? "allowed; there is no object" : "allowed", ""});
    return true;
  }

  void CheckServer() {
    const store::S3Settings settings = bucket_->CurrentSettings();
    const auto address = store::AddressOf(settings);
    const bool moved = settings.region != bucket_->client().settings().region;
    Add({"region", moved ? CheckState::kAdvice : CheckState::kGood,
         settings.region + (address.ok() ? " at " + address->origin : ""),
         moved ? "the bucket is there, not in " + bucket_->client().settings().region +
                     ": give --region, to spare each run a request"
               : ""});
    const auto ahead = bucket_->client().server_ahead();
    if (!ahead) return;
    constexpr int64_t kMuch = 60;
    const int64_t seconds = ahead->count();
    const bool off = std::abs(seconds) > kMuch;
    Add({"clock", off ? CheckState::kAdvice : CheckState::kGood,
         off ? "this machine's clock is " + Plural(std::abs(seconds), "second", "seconds") +
                   (seconds > 0 ? " behind" : " ahead of") + (seconds > 0 ? " the server's" : " the server")
             : "agrees with the server's",
         off ? "set it, by NTP: from 15 minutes on S3 refuses requests" : ""});
  }

  void CheckRead() {
    if (!sample_) {
      Add({"read", CheckState::kNotDone, "there was no object to try it on", ""});
      return;
    }
    const auto reader = store_->Open(*sample_);
    char byte = 0;
    const Status read = reader.ok() ? (*reader)->ReadAt(0, {&byte, 1}).status() : reader.status();
    if (!read.ok()) return AddFailure("read", read);
    Add({"read", CheckState::kGood, "allowed", ""});
  }

  void CheckWrite() {
    if (dynamic_cast<const store::GcsObjectStore*>(&store_->Backend()) != nullptr) {
      Add({"write", CheckState::kNotDone, "deliveries in gs:// are read; nothing is written there, and no lake kept",
           ""});
      return;
    }
    if (!options_.write) {
      Add({"write", CheckState::kNotDone, "not tried; --write puts a small object and removes it again", ""});
      return;
    }
    const std::string key = "_tidegate/doctor-" + NewUuid();
    const auto put = store_->Put(key, "1", store::PutMode::kCreateOnly);
    if (!put.ok()) return AddFailure("write", put.status());
    const Code again = store_->Put(key, "2", store::PutMode::kCreateOnly).status().code();
    const auto swapped = store_->Replace(key, "3", put->etag);
    const Code stale = store_->Replace(key, "4", put->etag).status().code();
    const Status removed = store_->Delete({key});
    if (again != Code::kAlreadyExists || !swapped.ok() || stale != Code::kPreconditionFailed) {
      Add({"write", CheckState::kBad, "allowed, but this server does not keep conditions (If-None-Match, If-Match)",
           "keep no lake here: two ingests at once could lose a commit"});
      return;
    }
    if (!removed.ok()) return AddFailure("write", removed, "allow s3:DeleteObject: docs/permissions.md");
    Add({"write", CheckState::kGood, "allowed; conditions hold", ""});
  }

  /// The XML of a setting, or a check that says why there is none.
  std::optional<std::string> Setting(const std::string& name, const std::string& action,
                                     const std::string& where_none) {
    auto setting = bucket_->client().BucketSetting(name);
    if (setting.ok()) return *std::move(setting);
    if (setting.status().code() == Code::kNotFound) {
      Add({name, CheckState::kAdvice, "none is set", where_none});
    } else if (setting.status().code() == Code::kPermissionDenied) {
      Add({name, CheckState::kNotDone, "this identity may not look (" + action + ")", ""});
    } else {
      Add({name, CheckState::kNotDone, setting.status().message(), ""});
    }
    return std::nullopt;
  }

  void CheckSettings() {
    if (const auto xml = Setting("versioning", "s3:GetBucketVersioning", "")) {
      const auto state = store::ReadVersioning(*xml);
      const std::string found = !state.ok() ? state.status().message() : state->empty() ? "off" : *state;
      const bool on = state.ok() && *state == "Enabled";
      Add({"versioning", CheckState::kGood, found,
           on ? "what `tidegate expire` removes stays as old versions: a lifecycle rule for those saves money" : ""});
    }
    if (const auto xml = Setting("lifecycle", "s3:GetLifecycleConfiguration", std::string(kLifecycleAdvice)))
      CheckLifecycle(*xml);
    if (const auto xml = Setting("uploads", "s3:ListBucketMultipartUploads", "")) {
      const auto count = store::CountUploads(*xml);
      const bool some = count.ok() && *count > 0;
      Add({"uploads", some ? CheckState::kAdvice : CheckState::kGood,
           count.ok() ? Plural(static_cast<int64_t>(*count), "unfinished upload", "unfinished uploads")
                      : count.status().message(),
           some ? std::string(kLifecycleAdvice) : ""});
    }
  }

  void CheckLifecycle(const std::string& xml) {
    const auto lifecycle = store::ReadLifecycle(xml);
    if (!lifecycle.ok()) {
      Add({"lifecycle", CheckState::kNotDone, lifecycle.status().message(), ""});
      return;
    }
    std::vector<std::string> found;
    const auto add = [&](const std::optional<int>& days, const std::string& what) {
      if (days) found.push_back(what + " after " + Plural(*days, "day", "days"));
    };
    add(lifecycle->freezes_after_days, "objects go to cold storage");
    add(lifecycle->expires_after_days, "objects expire");
    add(lifecycle->aborts_uploads_after_days, "unfinished uploads are removed");
    const bool aborts = lifecycle->aborts_uploads_after_days.has_value();
    Add({"lifecycle", aborts ? CheckState::kGood : CheckState::kAdvice,
         found.empty() ? "no rule that matters here" : Join(found, ", "), aborts ? "" : std::string(kLifecycleAdvice)});
  }

  const DoctorOptions& options_;
  const std::function<void(const Check&)>& on_check_;
  std::unique_ptr<store::ObjectStore> store_;
  const store::S3ObjectStore* bucket_ = nullptr;
  std::optional<store::ObjectInfo> sample_;
  std::vector<Check> checks_;
};

}  // namespace

std::string_view CheckStateName(CheckState state) {
  switch (state) {
    case CheckState::kGood:
      return "ok";
    case CheckState::kAdvice:
      return "advice";
    case CheckState::kBad:
      return "failed";
    case CheckState::kNotDone:
      return "not done";
  }
  return "not done";
}

std::vector<Check> Examine(const std::string& url, const StoreAccess& access, const DoctorOptions& options,
                           const std::function<void(const Check&)>& on_check) {
  return Doctor(options, on_check).Run(url, access);
}

}  // namespace tidegate::app
