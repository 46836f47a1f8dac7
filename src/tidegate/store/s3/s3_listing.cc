#include "tidegate/store/s3/s3_listing.h"

#include <algorithm>
#include <optional>

#include "tidegate/base/text.h"

namespace tidegate::store {
namespace {

constexpr size_t kMostKeysAPage = 1000;

/// The folder that start_after lies in, where the listing is folded.
std::string FolderOfStart(const ListRequest& request) {
  if (!request.delimited || !request.start_after.starts_with(request.prefix)) return "";
  const size_t slash = request.start_after.find('/', request.prefix.size());
  return slash == std::string::npos ? "" : request.start_after.substr(0, slash + 1);
}

/// Pages of one listing, gathered. Keys are without `head`.
class Gatherer {
 public:
  Gatherer(const std::string& head, const ListRequest& request) : head_(head), request_(request) {}

  /// False where the page shows that the server does not list in byte order.
  bool Add(const S3ListPage& page) {
    for (const ObjectInfo& object : page.objects) AddObject(object);
    for (const std::string& prefix : page.prefixes) AddPrefix(prefix);
    const auto by_key = [](const ObjectInfo& a, const ObjectInfo& b) { return a.key < b.key; };
    return page.in_byte_order && std::is_sorted(page.objects.begin(), page.objects.end(), by_key) &&
           std::is_sorted(page.prefixes.begin(), page.prefixes.end()) && IsAfterLast(page);
  }

  size_t size() const { return listing_.objects.size() + listing_.prefixes.size(); }

  Listing Take() {
    std::sort(listing_.objects.begin(), listing_.objects.end(),
              [](const ObjectInfo& a, const ObjectInfo& b) { return a.key < b.key; });
    const auto twice = [](const ObjectInfo& a, const ObjectInfo& b) { return a.key == b.key; };
    listing_.objects.erase(std::unique(listing_.objects.begin(), listing_.objects.end(), twice),
                           listing_.objects.end());
    MakeSet(listing_.prefixes);
    MakeSet(listing_.refused);
    return std::move(listing_);
  }

 private:
  static void MakeSet(std::vector<std::string>& texts) {
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  }

  bool IsAfterLast(const S3ListPage& page) {
    const std::string before = last_;
    std::string first;
    if (!page.objects.empty()) {
      first = page.objects.front().key;
      last_ = std::max(last_, page.objects.back().key);
    }
    if (!page.prefixes.empty()) {
      first = first.empty() ? page.prefixes.front() : std::min(first, page.prefixes.front());
      last_ = std::max(last_, page.prefixes.back());
    }
    return first.empty() || before.empty() || before <= first;
  }

  std::optional<std::string> OwnKey(const std::string& key) const {
    if (!key.starts_with(head_ + request_.prefix)) return std::nullopt;  // not what was asked for
    return key.substr(head_.size());
  }

  void AddObject(const ObjectInfo& object) {
    const auto key = OwnKey(object.key);
    if (!key || (!request_.start_after.empty() && *key <= request_.start_after)) return;
    if (key->ends_with('/') && object.size_bytes == 0) return;  // a console's mark for an empty folder
    if (!CheckKey(*key).ok()) {
      listing_.refused.push_back(*key);
      return;
    }
    ObjectInfo own = object;
    own.key = *key;
    listing_.objects.push_back(std::move(own));
  }

  void AddPrefix(const std::string& prefix) {
    const auto key = OwnKey(prefix);
    if (!key || !key->ends_with('/') || LiesBeforeStart(*key)) return;
    if (CheckKey(key->substr(0, key->size() - 1)).ok()) {
      listing_.prefixes.push_back(*key);
    } else {
      listing_.refused.push_back(*key);
    }
  }

  /// The server's start may be before the one that was asked for. The folder in which that lies is judged at the end.
  bool LiesBeforeStart(const std::string& folder) const { return folder < request_.start_after && folder != start_; }

  const std::string& head_;
  const ListRequest& request_;
  const std::string start_ = FolderOfStart(request_);
  Listing listing_;
  std::string last_;
};

/// Everything that a page lists begins with what was asked for.
Status CheckAsked(const S3ListPage& page, const std::string& prefix) {
  for (const ObjectInfo& object : page.objects) {
    if (!object.key.starts_with(prefix)) {
      return Corruption("the server lists a key that was not asked for: " + Quoted(object.key) + " is not below " +
                        Quoted(prefix));
    }
  }
  return {};
}

/// A page that is damaged is asked for again: over plain HTTP nothing else notices.
Result<S3ListPage> ReadPage(S3Client& client, const S3ListRequest& request) {
  constexpr int kTries = 3;
  Status damaged;
  for (int tries = 0; tries < kTries; ++tries) {
    auto page = client.ListPage(request);
    const Status asked = page.ok() ? CheckAsked(*page, request.prefix) : Status();
    if (page.ok() && asked.ok()) return page;
    damaged = page.ok() ? asked : page.status();
    if (damaged.code() != Code::kCorruption) break;
  }
  return damaged;
}

/// Where the server shall begin. Servers differ in what a start inside of a folded folder means: it is cut before the
/// folder's '/', so that the folder comes along; whether it belongs there is asked for by itself.
std::string ServerStart(const std::string& head, const ListRequest& request) {
  if (request.start_after.empty()) return "";
  std::string start = request.start_after;
  if (request.delimited && start.starts_with(request.prefix))
    start = start.substr(0, start.find('/', request.prefix.size()));
  return head + start;
}

Result<bool> HasKeyAfter(S3Client& client, const std::string& head, const std::string& folder,
                         const std::string& start_after, std::atomic<bool>& trust_order) {
  const ListRequest below{.prefix = folder, .start_after = start_after, .delimited = false, .max_entries = 1};
  TG_ASSIGN_OR_RETURN(const Listing listing, ListAll(client, head, below, trust_order));
  return !listing.objects.empty() || !listing.refused.empty();
}

/// The folder that the start lies in belongs to the listing while a key below it is after the start.
Status JudgeFolderOfStart(S3Client& client, const std::string& head, const ListRequest& request,
                          std::atomic<bool>& trust_order, Listing& listing) {
  const std::string folder = FolderOfStart(request);
  const auto found = std::find(listing.prefixes.begin(), listing.prefixes.end(), folder);
  if (folder.empty() || found == listing.prefixes.end()) return {};
  TG_ASSIGN_OR_RETURN(const bool stays, HasKeyAfter(client, head, folder, request.start_after, trust_order));
  if (!stays) listing.prefixes.erase(found);
  return {};
}

void Cut(Listing& listing, size_t max_entries) {
  while (max_entries != 0 && listing.objects.size() + listing.prefixes.size() > max_entries) {
    const bool object_is_last =
        listing.prefixes.empty() || (!listing.objects.empty() && listing.objects.back().key > listing.prefixes.back());
    if (object_is_last) {
      listing.objects.pop_back();
    } else {
      listing.prefixes.pop_back();
    }
  }
}

}  // namespace

Result<Listing> ListAll(S3Client& client, const std::string& head, const ListRequest& request,
                        std::atomic<bool>& trust_order) {
  const bool trusted = trust_order;
  Gatherer gatherer(head, request);
  S3ListRequest page_request{.prefix = head + request.prefix, .delimited = request.delimited};
  if (trusted) page_request.start_after = ServerStart(head, request);
  const bool may_stop = trusted && request.max_entries != 0;
  const size_t spare = FolderOfStart(request).empty() ? 0 : 1;  // it may be dropped again
  if (may_stop) page_request.max_keys = std::min(kMostKeysAPage, request.max_entries + spare);
  while (true) {
    TG_ASSIGN_OR_RETURN(const S3ListPage page, ReadPage(client, page_request));
    if (!gatherer.Add(page) && trusted) {
      trust_order = false;
      const bool order_mattered = !page_request.start_after.empty() || may_stop;
      if (order_mattered) return ListAll(client, head, request, trust_order);
    }
    if (page.next.empty() || (may_stop && gatherer.size() >= request.max_entries + spare)) break;
    if (page.next == page_request.continuation) {
      return Corruption("cannot list " + Quoted(client.settings().bucket) +
                        ": the server gives the same page again and again");
    }
    page_request.continuation = page.next;
  }
  Listing listing = gatherer.Take();
  TG_RETURN_IF_ERROR(JudgeFolderOfStart(client, head, request, trust_order, listing));
  Cut(listing, request.max_entries);
  return listing;
}

}  // namespace tidegate::store
